/* Ends with status 3, in every run.
 * To tell the user: the program ended with status 3. That it does so even without any other schedule should be plain from
 * the answer (it fails in the first run). */
int main(void)
{
    return 3;
}
