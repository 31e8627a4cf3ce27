import { isUrn, urnPartsOf, stackType, urnOf } from '../../names/urn.ts'
import { signatureKey, signatures } from '../../values/wire-options.ts'
import { keepNullLists } from '../null-lists.ts'
import { withFields } from '../field-order.ts'
import { isJsonObject, readTextField, readTextListField } from '../stored-fields.ts'
import type { Json, StoredDeployment, StoredOperation, StoredResource } from '../stored.ts'
import { withReferences } from './references.ts'

/** The names of a stack in URNs. */
export interface StackNames {
  readonly project: string
  readonly stack: string
}

/**
 * Renames a stack in its state. Updates every URN of the stack, also in pending operations, and the
 * name of the root resource. As in Pulumi, URNs of other stacks and URNs inside encrypted secrets
 * stay unchanged. The command `stack rename` runs functions/step-generator/rename-stack.ts, which
 * calls this function. Source: docs/spec/state-integrity.md#state-edits.
 */
export function renameStackInState(
  state: StoredDeployment,
  oldNames: StackNames,
  newNames: StackNames,
): StoredDeployment {
  const rename = (urn: string): string => renameUrn(urn, oldNames, newNames)
  const { resources, pending_operations: pending, secrets_providers: manager } = state
  return {
    ...state,
    ...(manager === undefined
      ? {}
      : { secrets_providers: renameInManager(manager, oldNames, newNames) }),
    ...(resources === undefined
      ? {}
      : { resources: resources.map(resource => renameInResource(resource, rename)) }),
    ...(pending === undefined
      ? {}
      : {
          pending_operations: pending.map(
            (operation): StoredOperation => ({
              ...operation,
              resource: renameInResource(operation.resource, rename),
            }),
          ),
        }),
  }
}

/**
 * Renames the stack in a secrets manager of the type `service`, because clients of the service use
 * the names in the state to decrypt. Pulumi's public service keeps its keys under the old names, so
 * the managers of that service stay unchanged.
 */
function renameInManager(
  manager: StoredManager,
  oldNames: StackNames,
  newNames: StackNames,
): StoredManager {
  const { type, state: fields } = manager
  if (type !== 'service' || !isJsonObject(fields)) return manager
  const { url, project, stack } = fields
  const isPublicService = typeof url === 'string' && publicServicePattern.test(url)
  const hasOldNames = project === oldNames.project && stack === oldNames.stack
  return isPublicService || !hasOldNames
    ? manager
    : { ...manager, state: { ...fields, ...newNames } }
}

type StoredManager = Exclude<StoredDeployment['secrets_providers'], undefined>

const publicServicePattern = /^https:\/\/([\w-]+\.)*pulumi\.com(\/|$)/

function renameUrn(urn: string, oldNames: StackNames, newNames: StackNames): string {
  if (!isUrn(urn)) return urn
  const parts = urnPartsOf(urn)
  if (parts.stack !== oldNames.stack || parts.project !== oldNames.project) return urn
  const isRootResource = parts.qualifiedType === stackType
  const name = isRootResource ? `${newNames.project}-${newNames.stack}` : parts.name
  return urnOf({ ...parts, ...newNames, name })
}

function renameInResource(
  resource: StoredResource,
  rename: (urn: string) => string,
): StoredResource {
  const changes: Record<string, Json> = { urn: rename(resource.urn) }
  const provider = readTextField(resource, 'provider')
  const separatorIndex = provider.lastIndexOf('::')
  if (separatorIndex > 0)
    changes['provider'] = rename(provider.slice(0, separatorIndex)) + provider.slice(separatorIndex)
  if (resource['aliases'] !== undefined)
    changes['aliases'] = readTextListField(resource, 'aliases').map(rename)
  for (const field of ['inputs', 'outputs', 'replacementTrigger']) {
    const value = resource[field]
    if (value !== undefined) changes[field] = renameInValue(value, rename)
  }
  const renamedResource = withFields(resource, changes)
  return keepNullLists(
    withReferences(renamedResource, ({ urn }) => rename(urn), 'keep'),
    resource,
  )
}

/**
 * Renames the URNs in the resource references of a value. Other texts stay unchanged, because they
 * may only look like URNs.
 */
function renameInValue(value: Json, rename: (urn: string) => string): Json {
  if (Array.isArray(value)) return value.map((item: Json) => renameInValue(item, rename))
  if (!isJsonObject(value)) return value
  const { urn, plaintext } = value
  if (value[signatureKey] === signatures.reference)
    return typeof urn === 'string' ? { ...value, urn: rename(urn) } : value
  if (value[signatureKey] === signatures.secret)
    return typeof plaintext === 'string'
      ? { ...value, plaintext: renameInPlaintext(plaintext, rename) }
      : value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, renameInValue(item, rename)]),
  )
}

/** Renames the URNs in a plaintext secret, which is the JSON text of the secret's value. */
function renameInPlaintext(text: string, rename: (urn: string) => string): string {
  try {
    return JSON.stringify(renameInValue(JSON.parse(text) as Json, rename))
  } catch {
    return text
  }
}
