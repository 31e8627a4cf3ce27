import { areEqualValues } from '../../values/equal.ts'
import type { PropertyMap } from '../../values/value.ts'
import { ProviderError } from '../provider-error.ts'
import type { DiffResult } from '../provider.ts'
import {
  type ChangeDiff,
  checkTypeInputs,
  describeDiff,
  diffLiveObject,
  type LiveObject,
  readLiveObject,
  type TypeContext,
} from './check-context.ts'
import { listBrokenPromises, quoteNames } from './compare-properties.ts'
import {
  bothProtocols,
  type Contract,
  type ContractOutcome,
  failIf,
  fail,
  exempt,
  passed,
} from './contract.ts'
import { describeFailures } from './provider-contracts.ts'
import { describeRead } from './read-contracts.ts'

const source = 'docs/spec/provider-protocol.md#update'
const common = { source, severity: 'error', protocols: bothProtocols } as const

/** The contracts of changes, which need a further configuration. */
const changeContracts: readonly Contract<TypeContext>[] = [
  {
    ...common,
    id: 'diff-finds-change',
    title: 'the diff of a changed property has a change',
    source: 'docs/spec/provider-protocol.md#diff',
    remedy: 'Report a change of each input, unless both values mean the same.',
    run: diffChanges,
  },
  {
    ...common,
    id: 'replace-keys',
    title: 'only changed properties require a replacement',
    source: 'docs/spec/provider-protocol.md#diff',
    remedy: 'In `replaces`, name only properties that changed and cannot be updated in place.',
    run(context) {
      const flaws = context
        .requireFact('diffs')
        .flatMap(change => findReplaceKeyFlaws(context, change))
      return failIf(flaws.length === 0 ? undefined : flaws.join('; '))
    },
  },
  {
    ...common,
    id: 'update',
    title: 'each property that needs no replacement can be updated',
    remedy: 'Apply the change, and return all outputs of the object.',
    run: updateProperties,
  },
  {
    ...common,
    id: 'update-as-previewed',
    title: 'updates give the values that their previews promised',
    remedy: 'In the preview, leave values unknown if only the update decides them.',
    run(context) {
      const broken = context.requireFact('brokenPromises')
      return failIf(broken.length === 0 ? undefined : `an update changed ${quoteNames(broken)}`)
    },
  },
  {
    ...common,
    id: 'settled-after-update',
    title: 'the updated object does not differ from its configuration',
    source: 'docs/spec/provider-protocol.md#diff',
    remedy: 'Return the new values from Update, so that the next diff has no change.',
    async run(context) {
      const updated = context.requireFact('updated')
      const change = describeDiff(await diffLiveObject(context, updated, updated.inputs))
      return failIf(change === undefined ? undefined : `the diff has ${change}`)
    },
  },
  {
    ...common,
    id: 'read-after-update',
    title: 'a refresh of the updated object finds no change',
    source: 'docs/spec/provider-protocol.md#read',
    remedy: 'Return from Update the values that Read returns.',
    async run(context) {
      const updated = context.requireFact('updated')
      context.requireFact('readResult')
      return failIf(describeRead(updated, await readLiveObject(context, updated)))
    },
  },
]

/** The contracts of changes: Diff and Update of each property that the configurations change. */
export const updateContracts: readonly Contract<TypeContext>[] = changeContracts.map(contract => ({
  ...contract,
  run: context =>
    listChanges(context).length === 0
      ? exempt('no second configuration is known: name one with --config')
      : contract.run(context),
}))

/** Returns the inputs after each single change that a further configuration makes. */
function listChanges(context: TypeContext): readonly Omit<ChangeDiff, 'diff'>[] {
  if (context.furtherInputs.length === 0) return []
  const { inputs } = context.requireFact('created')
  return context.furtherInputs.flatMap(further =>
    [...further].flatMap(([property, value]) =>
      areEqualValues(value, inputs.get(property))
        ? []
        : [{ property, inputs: new Map([...inputs, [property, value]]) }],
    ),
  )
}

async function diffChanges(context: TypeContext): Promise<ContractOutcome> {
  const created = context.requireFact('created')
  context.requireFact('emptyDiff')
  const diffs: ChangeDiff[] = []
  for (const change of listChanges(context)) {
    const { inputs, failures } = await checkTypeInputs(context, change.inputs, created.inputs)
    if (failures.length > 0)
      return fail(`a change of '${change.property}' is refused: ${describeFailures(failures)}`)
    const diff = await diffLiveObject(context, created, inputs)
    if (diff.changes === 'none') return fail(`the diff ignores a change of '${change.property}'`)
    diffs.push({ ...change, inputs, diff })
  }
  context.provideFacts({ diffs })
  return passed
}

const topKeyOf = (path: string): string => /^[^.[]+/.exec(path)?.[0] ?? path

/** Finds properties that require a replacement although they do not change. */
function findReplaceKeyFlaws(
  { type }: TypeContext,
  { property, diff }: ChangeDiff,
): readonly string[] {
  const changedKeys = new Set([
    property,
    ...diff.changedKeys.map(topKeyOf),
    ...[...(diff.detailedDiff?.keys() ?? [])].map(topKeyOf),
  ])
  // States have no write-only values, so the diff names an internal key instead, such as `__meta`.
  const isWriteOnly = type.inputs.get(property)?.isWriteOnly === true
  return listReplaceKeys(diff).flatMap(key =>
    changedKeys.has(topKeyOf(key)) || (isWriteOnly && key.startsWith('__'))
      ? []
      : [
          `a change of '${property}' requires a replacement because of '${key}', which did not change`,
        ],
  )
}

function listReplaceKeys({ replaceKeys, detailedDiff }: DiffResult): readonly string[] {
  const detailed = [...(detailedDiff ?? [])].flatMap(([path, { kind }]) =>
    kind.endsWith('-replace') ? [path] : [],
  )
  return [...new Set([...replaceKeys, ...detailed])]
}

async function updateProperties(context: TypeContext): Promise<ContractOutcome> {
  const updatable = context
    .requireFact('diffs')
    .filter(({ diff }) => listReplaceKeys(diff).length === 0)
  if (updatable.length === 0) return exempt('each change requires a replacement')
  let object = context.requireFact('created')
  const brokenPromises: string[] = []
  for (const { property, inputs } of updatable) {
    const value = inputs.get(property) ?? null
    const newInputs = new Map([...object.inputs, [property, value]])
    const previewed = await callUpdate(context, object, { newInputs, preview: true })
    const outputs = await updateLiveObject(context, object, newInputs)
    brokenPromises.push(...listBrokenPromises(previewed, outputs))
    object = { ...object, inputs: newInputs, outputs }
    context.track(object)
  }
  context.provideFacts({ updated: object, brokenPromises: [...new Set(brokenPromises)] })
  return passed
}

/** Updates an object. The state of a partial update is kept for the clean-up. */
async function updateLiveObject(
  context: TypeContext,
  object: LiveObject,
  newInputs: PropertyMap,
): Promise<PropertyMap> {
  try {
    return await callUpdate(context, object, { newInputs, preview: false })
  } catch (thrown) {
    if (thrown instanceof ProviderError && thrown.partialResource !== undefined)
      context.track({ ...object, inputs: newInputs, outputs: thrown.partialResource.outputs })
    throw thrown
  }
}

async function callUpdate(
  context: TypeContext,
  object: LiveObject,
  { newInputs, preview }: { readonly newInputs: PropertyMap; readonly preview: boolean },
): Promise<PropertyMap> {
  const { outputs } = await context.getProvider().update({
    ...context.identity,
    id: object.id,
    oldInputs: object.inputs,
    oldOutputs: object.outputs,
    newInputs,
    timeoutSeconds: 0,
    ignoreChanges: [],
    preview,
  })
  return outputs
}
