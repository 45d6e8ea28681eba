// A worker takes jobs from a queue until it is told to stop; in C++ with the standard library's threads.
//
// Wrong: the order to stop is an atomic variable, set without the lock. If it is set and announced after the worker has
// looked and before it waits, the announcement wakes nobody: the worker sleeps, and `join` waits for it for ever.
// Repaired: the variable is set under the lock.
//
//   sortie cc -g -O1 programs/c/worker_pool.cpp -o worker_pool
//   sortie run -- ./worker_pool
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

namespace {

class Pool {
  public:
    Pool() : worker([this] { work(); }) {}

    ~Pool()
    {
#ifdef REPAIRED
        {
            std::lock_guard<std::mutex> guard(lock);
            is_stopping = true;
        }
#else
        is_stopping = true;
#endif
        changed.notify_one();
        worker.join();
    }

    void add(int job)
    {
        {
            std::lock_guard<std::mutex> guard(lock);
            jobs.push(job);
        }
        changed.notify_one();
    }

  private:
    void work()
    {
        std::unique_lock<std::mutex> guard(lock);
        for (;;) {
            while (jobs.empty() && !is_stopping)
                changed.wait(guard);
            if (jobs.empty())
                return;
            sum += jobs.front();
            jobs.pop();
        }
    }

    std::mutex lock;
    std::condition_variable changed;
    std::queue<int> jobs;
    std::atomic<bool> is_stopping{false};
    int sum = 0;
    // The last member: the worker must not start before the others are there.
    std::thread worker;
};

} // namespace

int main()
{
    Pool pool;
    pool.add(1);
    pool.add(2);
    return 0;
}
