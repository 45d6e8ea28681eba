/* Reads a line from standard input.
 * To tell the user: the program has no input: standard input is empty, in every run alike. Status 0 is the end of it. */
#include <stdio.h>

int main(void)
{
    char line[80];
    while (fgets(line, sizeof line, stdin))
        continue;
    return 0;
}
