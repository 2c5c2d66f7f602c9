// How jemalloc keeps memory, read by it at the start. A server fills up in bursts and then rests: what it freed goes
// back to the system within seconds, also when no thread allocates any more, and few arenas waste few half-empty pages.
// MALLOC_CONF in the environment goes before.
extern "C" {
extern const char* const malloc_conf;
const char* const malloc_conf = "background_thread:true,dirty_decay_ms:3000,narenas:4";
}
