import type { Handler, LoadHandler } from './handler.ts'

/**
 * Returns `loadHandler` for a command that opens secrets. The key of the stack is derived while the
 * modules of the command are loaded.
 */
export function withKeyDerivation(loadHandler: () => Promise<Handler>): LoadHandler {
  return async session => {
    const { startKeyDerivation } = await import('../stack/start-key-derivation.ts')
    await startKeyDerivation(session)
    return loadHandler()
  }
}
