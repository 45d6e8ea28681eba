/* The Needham-Schroeder public-key protocol with an intruder (the program AUTH of Godefroid and Khurshid).
 *
 * Alice says {nonce, name}, her partner answers {her nonce, own nonce}, she proves {his nonce} that she could read it;
 * each message is sealed so that one agent alone can open it. Carol is a partner like Bob, but she is also the net: every
 * message passes through her hands. She can open what is sealed for her, keep the rest and deliver it later, and make
 * messages of the nonces that she knows. What she does is tossed.
 *
 * Wrong: nothing in the answer says who wrote it (Lowe's attack). Alice begins with Carol; Carol opens the message and
 * greets Bob in Alice's name; Bob's answer, sealed for Alice, is passed on to her, who takes it for Carol's and proves
 * to Carol that she has read Bob's nonce; Carol proves it to Bob, who now believes that he talks to Alice.
 * Repaired: the answer carries the name of its writer.
 *
 *   sortie cc -g -O1 programs/c/needham_schroeder.c -o needham_schroeder
 *   sortie run --strategy genetic --fitness learned -- ./needham_schroeder
 */
#include <pthread.h>
#include <sortie.h>

/* Agents, and the nonces that they make up. */
enum { ALICE, BOB, CAROL, AGENTS };
enum kind { HELLO, ANSWER, PROOF };
enum { TURNS = 6, MOST = 16 };

struct message {
    enum kind kind;
    int seal;
    int nonce;
    int second_nonce;
    int name;
};

struct post {
    struct message messages[MOST];
    int arrived;
    int taken;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* Letters by recipient; those for Carol are on the net. */
static struct post box[AGENTS];
static int idle;
static int is_over;
static int partner_of_alice;

static void put(struct post *to, struct message message)
{
    to->messages[to->arrived++] = message;
    pthread_cond_broadcast(&changed);
}

static void send(struct message message)
{
    pthread_mutex_lock(&lock);
    put(&box[CAROL], message);
    pthread_mutex_unlock(&lock);
}

/* Waits for a message of this kind, ignoring others. False if there will be none. */
static int receive(int me, enum kind kind, struct message *message)
{
    struct post *mine = &box[me];
    int is_found = 0;

    pthread_mutex_lock(&lock);
    while (!is_found && (mine->taken < mine->arrived || !is_over)) {
        if (mine->taken == mine->arrived) {
            idle++;
            pthread_cond_broadcast(&changed);
            while (mine->taken == mine->arrived && !is_over)
                pthread_cond_wait(&changed, &lock);
            idle--;
            continue;
        }
        *message = mine->messages[mine->taken++];
        is_found = message->kind == kind;
    }
    pthread_mutex_unlock(&lock);
    return is_found;
}

/* A party that has ended is idle for good. */
static void end(void)
{
    pthread_mutex_lock(&lock);
    idle++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static int is_written_by(const struct message *answer, int who)
{
#ifdef REPAIRED
    return answer->name == who;
#else
    (void)answer;
    (void)who;
    return 1;
#endif
}

static void *alice(void *none)
{
    int partner = sortie_toss(2) ? CAROL : BOB;
    struct message answer;

    pthread_mutex_lock(&lock);
    partner_of_alice = partner;
    pthread_mutex_unlock(&lock);
    send((struct message){.kind = HELLO, .seal = partner, .nonce = ALICE, .name = ALICE});
    if (receive(ALICE, ANSWER, &answer) && answer.nonce == ALICE && is_written_by(&answer, partner))
        send((struct message){.kind = PROOF, .seal = partner, .nonce = answer.second_nonce});
    end();
    return none;
}

static void *bob(void *none)
{
    struct message hello;
    struct message proof;

    if (receive(BOB, HELLO, &hello)) {
        int partner = hello.name;
        send((struct message){
            .kind = ANSWER, .seal = partner, .nonce = hello.nonce, .second_nonce = BOB, .name = BOB});
        if (receive(BOB, PROOF, &proof) && proof.nonce == BOB && partner == ALICE) {
            pthread_mutex_lock(&lock);
            int expected = partner_of_alice;
            pthread_mutex_unlock(&lock);
            sortie_assert(expected == BOB);
        }
    }
    end();
    return none;
}

struct knowledge {
    int nonces[AGENTS];
    int count;
    struct message kept[MOST];
    int kept_count;
};

static void learn(struct knowledge *known, int nonce)
{
    for (int i = 0; i < known->count; i++)
        if (known->nonces[i] == nonce)
            return;
    known->nonces[known->count++] = nonce;
    sortie_count("learned", 1);
}

/* Takes what is on the net. Waits for something unless the others wait, too. */
static void listen(struct knowledge *known)
{
    struct post *net = &box[CAROL];

    pthread_mutex_lock(&lock);
    while (net->taken == net->arrived && idle < 2)
        pthread_cond_wait(&changed, &lock);
    while (net->taken < net->arrived) {
        struct message message = net->messages[net->taken++];
        if (message.seal != CAROL) {
            known->kept[known->kept_count++] = message;
            continue;
        }
        learn(known, message.nonce);
        if (message.kind == ANSWER)
            learn(known, message.second_nonce);
    }
    pthread_mutex_unlock(&lock);
}

static struct message composed(const struct knowledge *known)
{
    struct message message;

    message.kind = (enum kind)sortie_toss(3);
    message.seal = sortie_toss(2) ? BOB : ALICE;
    message.nonce = known->nonces[sortie_toss(known->count)];
    message.second_nonce = message.kind == ANSWER ? known->nonces[sortie_toss(known->count)] : CAROL;
    message.name = message.kind == HELLO && sortie_toss(2) ? ALICE : CAROL;
    return message;
}

static void *carol(void *none)
{
    struct knowledge known = {.nonces = {CAROL}, .count = 1};

    for (int turn = 0; turn < TURNS; turn++) {
        listen(&known);
        struct message message = known.kept_count > 0 && sortie_toss(2)
                                     ? known.kept[sortie_toss(known.kept_count)]
                                     : composed(&known);
        pthread_mutex_lock(&lock);
        put(&box[message.seal], message);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    is_over = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return none;
}

int main(void)
{
    pthread_t threads[AGENTS];

    pthread_create(&threads[ALICE], NULL, alice, NULL);
    pthread_create(&threads[BOB], NULL, bob, NULL);
    pthread_create(&threads[CAROL], NULL, carol, NULL);
    for (int i = 0; i < AGENTS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
