import { createError, messageOf } from '../errors/error.ts'
import type { AuditEntry } from '../ports/audit.ts'
import type { StackId } from '../records/ids.ts'
import { toPrintable } from '../triggers/printable.ts'
import { apiStatusOf } from './error-response.ts'
import { type Caller, requirePermission } from './authorization.ts'
import { type ApiPorts, type Route, stackOf } from './define-route.ts'

/** An authenticated call of a route. */
export interface AuthenticatedCall {
  /** The id of the request, which the audit log names. */
  readonly id: string
  readonly caller: Caller
  readonly clientAddress: string
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

type ParamPattern = readonly [pattern: RegExp, requirement: string]

const namePattern: ParamPattern = [/^[\w.-]{1,100}$/, '1 to 100 letters, digits, _, . and -']
const platformPattern: ParamPattern = [/^[a-z0-9]{1,20}$/, 'up to 20 lower-case letters and digits']
/** The allowed values of path parameters, by name. No allowed value contains a slash. */
const paramPatterns: Readonly<Record<string, ParamPattern>> = {
  project: namePattern,
  stack: namePattern,
  name: namePattern,
  delivery: namePattern,
  kind: [/^[a-z]{1,20}$/, 'up to 20 lower-case letters'],
  version: [/^\d[\w.+-]{0,99}$/, 'a version such as 1.2.3'],
  os: platformPattern,
  arch: platformPattern,
  id: [/^[0-9a-f]{16}$/, 'an id of 16 hex digits'],
  number: [/^[1-9]\d{0,9}$/, 'a number from 1'],
  archive: [/^[0-9a-f]{64}$/, 'a SHA-256 in hex'],
  key: [/^[^\p{Cc}/]{1,300}$/u, 'up to 300 characters without slashes'],
}

/** Returns the path parameters if all are valid. Throws API_INPUT_INVALID. */
export function checkParams(params: AuthenticatedCall['params']): AuthenticatedCall['params'] {
  for (const [name, value] of Object.entries(params)) {
    const [pattern, requirement] = paramPatterns[name] ?? []
    if (pattern?.test(value) === true) continue
    const location = `path.${name}`
    const message = `${location}: must be ${requirement ?? 'another value'}, not '${toPrintable(value)}'`
    throw createError('API_INPUT_INVALID', message, { details: { at: location } })
  }
  return params
}

/** Returns the scope for which a call needs permission: its stack, or the scope of its route. */
function scopeOf({ route, params }: AuthenticatedCall): StackId | 'any' | 'installation' {
  return route.scope === 'stack' ? stackOf(params) : route.scope
}

/**
 * Runs a call if the caller has the permission. A call with a method other than GET is a change. A
 * change runs between two entries of the audit log, and not at all if the first entry cannot be
 * written. Throws API_FORBIDDEN.
 */
export async function runAudited<Result extends { readonly status: number }>(
  ports: Pick<ApiPorts, 'audit' | 'clock' | 'logger'>,
  call: AuthenticatedCall,
  run: () => Promise<Result>,
): Promise<Result> {
  const { id, caller, clientAddress, route, params } = call
  if (route.method === 'GET') {
    requirePermission(caller, route.role, scopeOf(call))
    return run()
  }
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const entry = {
    who: `${caller.name} (${caller.id})`,
    from: clientAddress,
    what: toPrintable(`${route.method} ${path}`, 300),
    request: id,
  }
  return recordChange(ports, entry, async () => {
    requirePermission(caller, route.role, scopeOf(call))
    return run()
  })
}

/**
 * Makes a change between two entries of the audit log. The change is not made if the first entry
 * cannot be written.
 */
export async function recordChange<Result extends { readonly status: number }>(
  ports: Pick<ApiPorts, 'audit' | 'clock' | 'logger'>,
  entry: Pick<AuditEntry, 'who' | 'from' | 'what' | 'request'>,
  change: () => Promise<Result>,
): Promise<Result> {
  const append = (kind: 'asked' | 'answered', status?: number): Promise<void> =>
    ports.audit.append({
      ...entry,
      id: `${entry.request} ${kind}`,
      at: ports.clock.now(),
      kind,
      ...(status === undefined ? {} : { status }),
    })
  await append('asked')
  let status = 500
  try {
    const response = await change()
    status = response.status
    return response
  } catch (thrown) {
    status = apiStatusOf(thrown)
    throw thrown
  } finally {
    // A failure to write this entry does not change the result of the call.
    await append('answered', status).catch((thrown: unknown) =>
      ports.logger.write('error', 'audit.failed', {
        request: entry.request,
        message: messageOf(thrown),
      }),
    )
  }
}
