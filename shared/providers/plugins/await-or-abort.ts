import { withAbort } from '../../config/with-abort.ts'
import { createError } from '../../errors/error.ts'

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
  return withAbort(pendingPart, abortSignal, () =>
    createError('PLUGIN_FAILED', `the start of plugin '${name}' (${path}) was cancelled`),
  )
}
