import * as z from 'zod'
import { createError } from '../../../shared/errors/error.ts'
import type { StackId } from '../../../shared/records/ids.ts'
import { parsePointInTime } from '../../../shared/records/point-in-time.ts'
import { envelopeOf, printEnvelope } from '../../../shared/state/snapshot-codec.ts'
import { withoutOperationOrigins } from '../../../shared/state/pending.ts'
import { hasSecretOutputs, readStackOutputs } from '../../../shared/state/stack-outputs.ts'
import type { StoredDeployment } from '../../../shared/state/stored.ts'
import { exportState, requireStack } from '../../../shared/runtime/state/export-state.ts'
import { readStateAt } from '../../../shared/runtime/state/state-at-time.ts'
import { includesRole } from '../../../shared/api/authorization.ts'
import {
  type ApiPorts,
  type RouteCall,
  defineRoute,
  stackOf,
} from '../../../shared/api/define-route.ts'

const exportQueryForm = z.object({
  version: z.coerce.number().int().min(1).optional(),
  at: z.string().max(100).optional(),
})

/** Routes for the state and the outputs of a stack. */
export const stateRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}/export',
    role: 'read',
    scope: 'stack',
    summary: "Get the state of a stack in Pulumi's format, with sealed secrets",
    query: exportQueryForm,
    output: z.looseObject({ version: z.number() }),
    run: async (ports, call) => {
      const state = await readRequestedState(ports, call)
      const text = await printEnvelope(
        state === undefined ? { version: 3, deployment: null } : await envelopeOf(state),
      )
      return { response: new Response(text, { headers: { 'content-type': 'application/json' } }) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}/outputs',
    role: 'read',
    scope: 'stack',
    summary:
      'Get the outputs of a stack; showSecrets returns secrets as plaintext and requires the role deploy',
    query: z.object({ showSecrets: z.stringbool().default(false) }),
    output: z.object({ outputs: z.looseObject({}) }),
    run: async (ports, { params, query: { showSecrets }, caller }) => {
      if (showSecrets && !includesRole(caller.role, 'deploy'))
        throw createError('API_FORBIDDEN', 'showing secrets requires the role deploy')
      const stack = stackOf(params)
      const state = await exportState(ports, stack)
      const decrypt = showSecrets ? await decrypterOf(ports, stack, state) : undefined
      return { json: { outputs: Object.fromEntries(readStackOutputs(state, decrypt)) } }
    },
  }),
]

/**
 * Returns the state at the version or time in the query of a call. Throws STACK_NOT_FOUND,
 * MOMENT_UNKNOWN, RECORDS_REMOVED, API_INPUT_INVALID.
 */
async function readRequestedState(
  ports: ApiPorts,
  { params, query }: RouteCall<z.infer<typeof exportQueryForm>, unknown>,
): Promise<StoredDeployment | undefined> {
  const { version, at } = query
  if (at === undefined) {
    const state = await exportState(ports, stackOf(params), version)
    if (state === undefined && version !== undefined)
      throw createError('MOMENT_UNKNOWN', `the stack has no version ${version}`)
    return state
  }
  const pointInTime = parsePointInTime(at)
  if (pointInTime === undefined || version !== undefined)
    throw createError(
      'API_INPUT_INVALID',
      '`at` must be a time or a moment such as `4:17`, and cannot be combined with `version`',
    )
  const record = await requireStack(ports, stackOf(params))
  const state = await readStateAt(ports, record, pointInTime, ports.clock.now())
  return state === undefined ? undefined : withoutOperationOrigins(state)
}

/**
 * Returns the function that decrypts secret outputs of a state. Undefined if the state has none.
 * Throws SECRETS_MANAGER_UNSUPPORTED.
 */
async function decrypterOf(
  { openStateSecrets }: ApiPorts,
  stack: StackId,
  state: StoredDeployment | undefined,
): Promise<((ciphertext: string) => string) | undefined> {
  if (state === undefined || !hasSecretOutputs(state)) return undefined
  const manager = await openStateSecrets?.(stack, state)
  if (manager === undefined)
    throw createError(
      'SECRETS_MANAGER_UNSUPPORTED',
      'this API has no key for the secrets of the stack',
      {
        hint: 'Read them with `antichain stack output --show-secrets` on a machine that has the key.',
      },
    )
  return manager.crypter.decrypt
}
