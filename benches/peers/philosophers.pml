/* Dining philosophers with the steps of the gallery's model: five per philosopher, each of them indivisible. */

#define N 12
#define LEFT fork[_pid]
#define RIGHT fork[(_pid + 1) % N]

bit fork[N];

active [N] proctype philosopher() {
  do
  :: d_step { LEFT == 0 -> LEFT = 1 };
     d_step { RIGHT == 0 -> RIGHT = 1 };
     skip;
     LEFT = 0;
     RIGHT = 0
  od
}
