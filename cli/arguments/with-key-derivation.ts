import type { Handler, LoadHandler } from './handler.ts'

/**
 * Returns a loader for a command that opens secrets. The loader starts to derive the key of the
 * stack in another thread, and then calls `loadHandler`. So the command waits less for the key.
 */
export function withKeyDerivation(loadHandler: () => Promise<Handler>): LoadHandler {
  return async session => {
    const { startKeyDerivation } = await import('../stack/start-key-derivation.ts')
    await startKeyDerivation(session)
    return loadHandler()
  }
}
