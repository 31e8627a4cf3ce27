import { isUrn, urnPartsOf, stackType, urnOf } from '../../names/urn.ts'
import { withFields } from '../field-order.ts'
import { isJsonObject, readTextField, readTextListField } from '../stored-fields.ts'
import type { Json, StoredDeployment, StoredOperation, StoredResource } from '../stored.ts'
import { withReferences } from './references.ts'

/** The names that a stack has in URNs. */
export interface StackNames {
  readonly project: string
  readonly stack: string
}

/**
 * The mark of special values, and those that hold URNs or texts of values
 * (docs/spec/property-values.md#signatures).
 */
const markKey = '4dabf18193072939515e22adb298388d'
const referenceMark = '5cf8f73096256a8f31e491e813e4eb8e'
const secretMark = '1b47061264138c4ac30d75fd1eb44270'

/**
 * The state of a stack under another name: every URN of the stack follows, wherever it stands, in
 * pending operations too; that of the root resource also in its name. URNs of other stacks stay,
 * and so do those inside of sealed secrets, as in Pulumi. Source:
 * docs/spec/state-integrity.md#state-edits.
 */
export function renameStackInState(
  state: StoredDeployment,
  before: StackNames,
  now: StackNames,
): StoredDeployment {
  const rename = (urn: string): string => renameUrn(urn, before, now)
  const { resources, pending_operations: pending } = state
  return {
    ...state,
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

function renameUrn(urn: string, before: StackNames, now: StackNames): string {
  if (!isUrn(urn)) return urn
  const parts = urnPartsOf(urn)
  if (parts.stack !== before.stack || parts.project !== before.project) return urn
  const isRoot = parts.qualifiedType === stackType
  const name = isRoot ? `${now.project}-${now.stack}` : parts.name
  return urnOf({ ...parts, ...now, name })
}

function renameInResource(
  resource: StoredResource,
  rename: (urn: string) => string,
): StoredResource {
  const changes: Record<string, Json> = { urn: rename(resource.urn) }
  const provider = readTextField(resource, 'provider')
  const at = provider.lastIndexOf('::')
  if (at > 0) changes['provider'] = rename(provider.slice(0, at)) + provider.slice(at)
  if (resource['aliases'] !== undefined)
    changes['aliases'] = readTextListField(resource, 'aliases').map(rename)
  for (const field of ['inputs', 'outputs', 'replacementTrigger']) {
    const value = resource[field]
    if (value !== undefined) changes[field] = renameInValue(value, rename)
  }
  const named = withFields(resource, changes)
  return withReferences(named, ({ urn }) => rename(urn), 'keep')
}

/** URNs that are texts of their own stay: only references to resources are known to be URNs. */
function renameInValue(value: Json, rename: (urn: string) => string): Json {
  if (Array.isArray(value)) return value.map((item: Json) => renameInValue(item, rename))
  if (!isJsonObject(value)) return value
  const { urn, plaintext } = value
  if (value[markKey] === referenceMark)
    return typeof urn === 'string' ? { ...value, urn: rename(urn) } : value
  if (value[markKey] === secretMark)
    return typeof plaintext === 'string'
      ? { ...value, plaintext: renameInText(plaintext, rename) }
      : value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, renameInValue(item, rename)]),
  )
}

/** A secret that is shown is the JSON text of its value. */
function renameInText(text: string, rename: (urn: string) => string): string {
  try {
    return JSON.stringify(renameInValue(JSON.parse(text) as Json, rename))
  } catch {
    return text
  }
}
