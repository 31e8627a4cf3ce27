import { createReadStream, readFileSync, statSync } from 'node:fs'
import { type DeployError, createError, hasCode, messageOf } from '../../shared/errors/error.ts'
import type { StoredDeployment, StoredEnvelope } from '../../shared/state/stored.ts'
import { deploymentOfEnvelope } from '../../shared/state/unknown-fields.ts'
import { describeJsonFault } from '../../shared/values/json-fault.ts'
import type { CliSession } from '../session/session.ts'

/**
 * Parses an exported state from the file `path`, or from standard input without a path. A file is
 * read in parts. Returns null for a stack that never had a state. Each error message names the
 * source. The message of a syntax error also names the line. Throws FILE_UNREADABLE, STATE_INVALID,
 * STATE_TOO_NEW.
 */
export async function readStateFile(
  session: CliSession,
  path: string | undefined,
): Promise<StoredDeployment | null> {
  const { parseEnvelope } = await session.tools.loadState()
  try {
    const envelope = await parseEnvelope(
      path === undefined ? await session.io.readInput() : readInParts(path),
    )
    refuseCheckpoint(envelope)
    return deploymentOfEnvelope(envelope)
  } catch (thrown) {
    const isOfState = hasCode(thrown, 'STATE_INVALID') || hasCode(thrown, 'STATE_TOO_NEW')
    throw isOfState ? nameSource(thrown, path) : thrown
  }
}

/** Returns the error of a state with the source in its message. */
function nameSource(error: DeployError, path: string | undefined): DeployError {
  const { code, details, hint, cause } = error
  const isSyntaxError = cause instanceof SyntaxError
  const reason = isSyntaxError ? (describeFileFault(path) ?? error.message) : error.message
  const message = `${path ?? 'standard input'}: ${reason}`
  return createError(code, message, { details, hint, cause })
}

/**
 * Reads a file again as a whole, because its bytes were not kept, and describes its fault. Returns
 * undefined for another source, such as a pipe, which can be read only once.
 */
function describeFileFault(path: string | undefined): string | undefined {
  try {
    if (path === undefined || !statSync(path).isFile()) return undefined
    return describeJsonFault(readFileSync(path))
  } catch {
    return undefined
  }
}

/**
 * Throws STATE_INVALID for a checkpoint of a backend. As an export it would have no resources, so
 * its import would empty the stack.
 */
function refuseCheckpoint(envelope: StoredEnvelope): void {
  if (envelope.deployment !== null || !('checkpoint' in envelope)) return
  throw createError('STATE_INVALID', 'it is a checkpoint of a backend, not an exported state', {
    hint: 'Run `antichain stack import --from <backend>/<project>/<stack>`.',
  })
}

async function* readInParts(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>
  } catch (cause) {
    throw createError('FILE_UNREADABLE', `cannot read ${path}: ${messageOf(cause)}`, { cause })
  }
}
