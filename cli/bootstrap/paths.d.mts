/** The compile cache (NODE_COMPILE_CACHE) of programs and providers in tests. */
export const compileCacheFolder: string
