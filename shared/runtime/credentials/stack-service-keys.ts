import * as z from 'zod'
import { createError } from '../../errors/error.ts'
import type { DocumentKey, DocumentsPort, SealingPort } from '../../ports/documents.ts'
import type { StackId } from '../../records/ids.ts'
import type { SecretsManager } from '../../secrets/crypter.ts'
import {
  createServiceKey,
  createServiceManager,
  type ServiceKey,
} from '../../secrets/service-keys.ts'
import type { StoredManager } from '../../secrets/secrets-from-state.ts'
import { parseDocumentValue } from '../../triggers/parse-document-value.ts'
import { parseForm } from '../../values/parse-form.ts'

/** The ports for the data keys of stacks. */
export interface ServiceKeyPorts {
  readonly documents: Pick<DocumentsPort, 'get' | 'put'>
  readonly sealing: SealingPort
}

const keysForm = z.object({
  keys: z.array(z.object({ id: z.string().regex(/^[0-9a-f]{16}$/), sealed: z.string() })).min(1),
})

function keysDocumentKeyOf(stack: StackId): DocumentKey {
  return { kind: 'stack-settings', scope: stack, name: 'service-keys' }
}

/**
 * Returns the encryption context of a sealed key. The context names no stack, so that a rename of
 * the stack keeps the keys.
 */
function contextOf(id: string): string {
  return `service-key ${id}`
}

/**
 * Returns the data keys of a stack for the secrets manager `service`. Undefined when the stack has
 * none. Throws SEALED_UNREADABLE and the errors of the store.
 */
async function readServiceKeys(
  { documents, sealing }: ServiceKeyPorts,
  stack: StackId,
): Promise<readonly ServiceKey[] | undefined> {
  const stored = await documents.get(keysDocumentKeyOf(stack))
  if (stored === undefined) return undefined
  const { keys } = parseDocumentValue(keysForm, stored)
  return Promise.all(
    keys.map(async ({ id, sealed }) => ({
      id,
      key: Buffer.from(await sealing.open(sealed, contextOf(id)), 'base64'),
    })),
  )
}

/** Returns the data keys of a stack, and creates the first one if there is none. */
export async function requireServiceKeys(
  ports: ServiceKeyPorts,
  stack: StackId,
): Promise<readonly ServiceKey[]> {
  const keys = await readServiceKeys(ports, stack)
  if (keys !== undefined) return keys
  const { id, key } = createServiceKey()
  const sealed = await ports.sealing.seal(Buffer.from(key).toString('base64'), contextOf(id))
  const version = await ports.documents.put(keysDocumentKeyOf(stack), { keys: [{ id, sealed }] }, 0)
  if (version !== false) return [{ id, key }]
  // Another process created the first key at the same time.
  const storedKeys = await readServiceKeys(ports, stack)
  if (storedKeys !== undefined) return storedKeys
  throw createError('STORE_CONFLICT', `the keys of ${stack} were changed concurrently`)
}

/**
 * The public state of the manager. Its fields `owner`, `project` and `stack` have no effect,
 * because keys are found by the stack's id.
 */
const managerStateForm = z.record(z.string(), z.string())

function managerDocumentKeyOf(stack: StackId): DocumentKey {
  return { kind: 'stack-settings', scope: stack, name: 'service-manager' }
}

/**
 * Records the manager `service` of a stack that has no state yet, so that its first deployment can
 * run on this platform. `url`: the address of the service, as the client of Pulumi uses it. An
 * existing record is kept.
 */
export async function putFirstServiceManager(
  ports: ServiceKeyPorts,
  stack: StackId,
  url: string,
): Promise<void> {
  await requireServiceKeys(ports, stack)
  if ((await ports.documents.get(managerDocumentKeyOf(stack))) !== undefined) return
  const [owner, project, name] = stack.split('/')
  // Of two concurrent calls the first one wins.
  await ports.documents.put(managerDocumentKeyOf(stack), { url, owner, project, stack: name }, 0)
}

/** Returns the recorded manager `service` of a stack without a state. */
export async function readFirstServiceManager(
  { documents }: Pick<ServiceKeyPorts, 'documents'>,
  stack: StackId,
): Promise<StoredManager | undefined> {
  const stored = await documents.get(managerDocumentKeyOf(stack))
  if (stored === undefined) return undefined
  return { type: 'service', state: parseDocumentValue(managerStateForm, stored) }
}

/**
 * Opens the secrets manager `service` of a state with the keys of its stack. Undefined when this
 * platform has no keys of the stack, for example because the state comes from another service.
 * Throws SECRETS_MALFORMED for a malformed state.
 */
export async function openServiceManager(
  ports: ServiceKeyPorts,
  stack: StackId,
  managerState: unknown,
): Promise<SecretsManager | undefined> {
  const keys = await readServiceKeys(ports, stack)
  if (keys === undefined) return undefined
  const parsed = parseForm(managerStateForm, managerState)
  if (!parsed.success)
    throw createError('SECRETS_MALFORMED', 'the secrets manager of this state is malformed')
  return createServiceManager(keys, parsed.data)
}
