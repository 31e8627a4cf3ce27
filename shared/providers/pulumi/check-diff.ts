import {
  CheckRequest,
  CheckRequest_AutonamingOptions_Mode as Mode,
  DiffRequest,
  type DiffResponse,
  type PropertyDiff as WireDiff,
  ResourceProviderService as service,
} from '../../../proto/gen/pulumi/provider.ts'
import { emptyMap, type PropertyMap } from '../../values/value.ts'
import type { NameProposal } from '../../names/propose-name.ts'
import { createLocalError, methodNameOf } from '../plugins/call-failures.ts'
import type { DiffResult, PropertyDiff, Provider } from '../provider.ts'
import { createReceiveOptions, createSendOptions } from './transfer-options.ts'
import { restoreSecretMarks } from '../../values/special-values.ts'
import {
  callProvider,
  decodeProperties,
  type ProviderSession,
  encodeProperties,
} from './provider-session.ts'

type CallInput<M extends keyof Provider> = Provider[M] extends (request: infer Input) => unknown
  ? Input
  : never

/** Calls Check. An unconfigured provider accepts the inputs unchanged. */
export async function callCheck(
  session: ProviderSession,
  input: CallInput<'check'>,
): ReturnType<Provider['check']> {
  const method = service.check
  const capabilities = await session.waitUntilConfigured()
  const { newInputs, allowUnknowns } = input
  if (session.isUnconfigured()) return { inputs: newInputs, failures: [] }
  const options = createSendOptions(capabilities, { unknowns: allowUnknowns })
  const request = CheckRequest.create({
    urn: input.urn,
    name: input.name,
    type: input.type,
    // The field is never absent, because providers written in Node crash without it.
    olds: encodeProperties(session, method, { map: input.oldInputs ?? emptyMap, options }),
    news: encodeProperties(session, method, { map: newInputs, options }),
    randomSeed: input.randomSeed,
    autonaming: capabilities.naming ? toAutonaming(input.naming) : undefined,
  })
  const { inputs, failures } = await callProvider(session, method, { request })
  const checkedInputs = decodeProperties(session, method, {
    struct: inputs,
    options: createReceiveOptions({ unknowns: allowUnknowns }),
  })
  const isNamingUnsupported = input.naming !== undefined && !capabilities.naming
  return {
    inputs: capabilities.secrets ? checkedInputs : restoreSecretMarks(newInputs, checkedInputs),
    failures,
    ...(isNamingUnsupported ? { isNamingUnsupported } : {}),
  }
}

const modes = { propose: Mode.PROPOSE, enforce: Mode.ENFORCE, disable: Mode.DISABLE }

function toAutonaming(naming: NameProposal | undefined): CheckRequest['autonaming'] {
  if (naming === undefined) return undefined
  return { proposedName: naming.name, mode: modes[naming.mode] }
}

/** Calls Diff. Returns a change without details for an unconfigured provider. */
export async function callDiff(
  session: ProviderSession,
  input: CallInput<'diff'>,
): ReturnType<Provider['diff']> {
  const method = service.diff
  const capabilities = await session.waitUntilConfigured()
  if (session.isUnconfigured()) return { ...unknownDiff, changes: 'some' }
  const options = createSendOptions(capabilities, {
    unknowns: input.allowUnknowns,
    elideAssets: true,
  })
  const encode = (map: PropertyMap): Record<string, unknown> =>
    encodeProperties(session, method, { map, options })
  const request = DiffRequest.create({
    id: input.id,
    urn: input.urn,
    name: input.name,
    type: input.type,
    oldInputs: encode(input.oldInputs),
    olds: encode(input.oldOutputs),
    news: encode(input.newInputs),
    ignoreChanges: [...input.ignoreChanges],
  })
  return parseDiff(session, method, await callProvider(session, method, { request }))
}

/** The diff of a provider that does not know the changes. */
export const unknownDiff: DiffResult = {
  changes: 'unknown',
  replaceKeys: [],
  stableKeys: [],
  changedKeys: [],
  detailedDiff: null,
  deleteBeforeReplace: false,
}

/** The kinds of changes, in the order of their numbers in the protocol. */
const changeKinds = ['unknown', 'none', 'some'] as const

/** The kinds of property diffs, in the order of their numbers in the protocol. */
const diffKinds = [
  'add',
  'add-replace',
  'delete',
  'delete-replace',
  'update',
  'update-replace',
] as const

/** Parses a response of Diff or DiffConfig. Throws ProviderError if `changes` is invalid. */
export function parseDiff(
  session: ProviderSession,
  method: { readonly path: string },
  response: DiffResponse,
): DiffResult {
  const changes = changeKinds[response.changes]
  if (changes === undefined)
    throw createLocalError(
      `provider '${session.connection.name}' answered ${methodNameOf(method)} with the invalid change kind ${response.changes}`,
      { status: 'unknown' },
    )
  return {
    changes,
    replaceKeys: response.replaces,
    stableKeys: response.stables,
    changedKeys: response.diffs,
    detailedDiff: response.hasDetailedDiff ? parseDetailedDiff(response) : null,
    deleteBeforeReplace: response.deleteBeforeReplace,
  }
}

function parseDetailedDiff(response: DiffResponse): ReadonlyMap<string, PropertyDiff> {
  const detailedDiff = new Map<string, PropertyDiff>()
  for (const [path, diff] of response.detailedDiff) detailedDiff.set(path, parsePropertyDiff(diff))
  return detailedDiff
}

/** Parses the diff of one property. An unknown kind counts as an update. */
export function parsePropertyDiff({ kind, inputDiff }: WireDiff): PropertyDiff {
  return { kind: diffKinds[kind] ?? 'update', inputDiff }
}
