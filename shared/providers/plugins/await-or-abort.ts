import { error } from '../../errors/error.ts'

/**
 * Waits for a part of a plugin's start. An abort throws PLUGIN_FAILED immediately, because the part
 * may take long. Throws the errors of the part.
 */
export async function awaitOrAbort<T>(
  pendingPart: Promise<T>,
  start: {
    readonly name: string
    readonly path: string
    readonly abortSignal?: AbortSignal | undefined
  },
): Promise<T> {
  const { abortSignal, name, path } = start
  if (abortSignal === undefined) return pendingPart
  const cancellation = Promise.withResolvers<never>()
  const cancelStart = (): void =>
    cancellation.reject(
      error('PLUGIN_FAILED', `the start of plugin '${name}' (${path}) was cancelled`),
    )
  abortSignal.addEventListener('abort', cancelStart, { once: true })
  if (abortSignal.aborted) cancelStart()
  try {
    return await Promise.race([pendingPart, cancellation.promise])
  } finally {
    abortSignal.removeEventListener('abort', cancelStart)
  }
}
