import { z } from 'zod'
import { limits } from '../../config/limits.ts'
import { error, messageOf } from '../../errors/error.ts'
import { isUrn, urnPartsOf, type Urn } from '../../names/urn.ts'
import type { Crypter } from '../../secrets/crypter.ts'
import type { CustomTimeouts } from '../../state/resource.ts'
import type { Json } from '../../values/json.ts'
import { decodeStoredMap, encodeStoredMap, type JsonObject } from '../../values/stored.ts'
import type { PropertyMap } from '../../values/value.ts'
import type {
  PlannedAlias,
  PlannedDifference,
  PlannedGoal,
  PlannedResource,
  UpdatePlan,
} from './update-plan.ts'

const properties = z.record(z.string(), z.json()).nullish()
const texts = z.array(z.string()).nullish()
const difference = z
  .strictObject({ adds: properties, deletes: texts, updates: properties })
  .nullish()

const timeouts = z
  .strictObject({
    create: z.number().optional(),
    update: z.number().optional(),
    delete: z.number().optional(),
    read: z.number().optional(),
  })
  .nullish()

const alias = z.strictObject({
  URN: z.string().default(''),
  Name: z.string().default(''),
  Type: z.string().default(''),
  Project: z.string().default(''),
  Stack: z.string().default(''),
  Parent: z.string().default(''),
  NoParent: z.boolean().default(false),
})

const goal = z.strictObject({
  type: z.string(),
  name: z.string(),
  custom: z.boolean(),
  inputDiff: difference,
  outputDiff: difference,
  parent: z.string().default(''),
  protect: z.boolean().default(false),
  dependencies: texts,
  provider: z.string().default(''),
  propertyDependencies: z.record(z.string(), texts).nullish(),
  deleteBeforeReplace: z.boolean().nullish(),
  ignoreChanges: texts,
  additionalSecretOutputs: texts,
  aliases: texts,
  structuredAliases: z.array(alias).nullish(),
  id: z.string().default(''),
  customTimeouts: timeouts,
})

const resource = z.strictObject({
  goal: goal.nullish(),
  steps: texts,
  state: properties,
  seed: z.base64().nullish(),
})

const file = z.strictObject({
  manifest: z.looseObject({}),
  config: z.looseObject({}).nullish(),
  resourcePlans: z.record(z.string(), resource).nullish(),
})

/** Step names that a plan file may contain. */
const known: ReadonlySet<string> = new Set([
  ...['same', 'create', 'update', 'delete', 'replace', 'create-replacement', 'delete-replaced'],
  ...['read', 'read-replacement', 'refresh', 'discard', 'discard-replaced'],
  ...['remove-pending-replace', 'import', 'import-replacement'],
])

/**
 * Reads a plan file in Pulumi's format. Throws PLAN_INVALID for a damaged plan, an unknown field, a
 * plan of another stack, or secrets that this stack's key cannot decrypt.
 */
export function readPlan(
  text: string,
  context: {
    readonly stack: string
    readonly project: string
    readonly decrypt: Crypter['decrypt']
  },
): UpdatePlan {
  const read = file.safeParse(parseJson(text))
  if (!read.success) {
    const [issue] = read.error.issues
    const place =
      issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`
    throw error('PLAN_INVALID', `the plan cannot be read${place}: ${issue?.message ?? ''}`)
  }
  const resources = new Map<Urn, PlannedResource>()
  for (const [name, stored] of Object.entries(read.data.resourcePlans ?? {}))
    resources.set(urnOf(name, context), resourceOf(name, stored, context.decrypt))
  return { resources }
}

function parseJson(text: string): unknown {
  if (text.length > limits.planBytesMax)
    throw error('PLAN_INVALID', `the plan has more than ${limits.planBytesMax} bytes`)
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw error('PLAN_INVALID', `the plan is not valid JSON: ${messageOf(thrown)}`)
  }
}

function urnOf(name: string, context: { readonly stack: string; readonly project: string }): Urn {
  if (!isUrn(name)) throw error('PLAN_INVALID', `the plan contains the invalid URN '${name}'`)
  const { stack, project } = urnPartsOf(name)
  if (stack === context.stack && project === context.project) return name
  throw error(
    'PLAN_INVALID',
    `the plan is not for stack '${stack}' of project '${project}': it contains '${name}'`,
  )
}

function resourceOf(
  urn: string,
  stored: z.infer<typeof resource>,
  decrypt: Crypter['decrypt'],
): PlannedResource {
  const strange = stored.steps?.find(op => !known.has(op))
  if (strange !== undefined)
    throw error('PLAN_INVALID', `the plan has the unknown step '${strange}' for '${urn}'`)
  const open = (map: z.infer<typeof properties>): PropertyMap => {
    try {
      return decodeStoredMap(map ?? {}, decrypt)
    } catch (thrown) {
      throw error('PLAN_INVALID', `a value of '${urn}' cannot be read: ${messageOf(thrown)}`)
    }
  }
  const { seed } = stored
  return {
    goal: stored.goal == null ? undefined : goalOf(stored.goal, open),
    ops: stored.steps ?? [],
    outputs: stored.state == null ? undefined : open(stored.state),
    seed: seed == null ? undefined : Buffer.from(seed, 'base64'),
  }
}

function goalOf(
  stored: z.infer<typeof goal>,
  open: (map: z.infer<typeof properties>) => PropertyMap,
): PlannedGoal {
  const differenceOf = (storedDifference: z.infer<typeof difference>): PlannedDifference => ({
    adds: open(storedDifference?.adds),
    deletes: storedDifference?.deletes ?? [],
    updates: open(storedDifference?.updates),
  })
  const { type, name, custom, parent, protect, provider, id } = stored
  const byProperty = Object.entries(stored.propertyDependencies ?? {})
  return {
    ...{ type, name, custom, parent, protect, provider, id },
    inputs: differenceOf(stored.inputDiff),
    outputs: differenceOf(stored.outputDiff),
    dependencies: stored.dependencies ?? [],
    propertyDependencies: new Map(byProperty.map(([key, urns]) => [key, urns ?? []])),
    deleteBeforeReplace: stored.deleteBeforeReplace ?? undefined,
    ignoreChanges: stored.ignoreChanges ?? [],
    additionalSecretOutputs: stored.additionalSecretOutputs ?? [],
    aliases: [
      ...(stored.structuredAliases ?? []).map(aliasOf),
      ...(stored.aliases ?? []).map(urn => aliasOf(alias.parse({ URN: urn }))),
    ],
    customTimeouts: timeoutsOf(stored.customTimeouts),
  }
}

function timeoutsOf(stored: z.infer<typeof timeouts>): CustomTimeouts {
  const known = Object.entries(stored ?? {}).filter(([, seconds]) => seconds !== undefined)
  return Object.fromEntries(known)
}

function aliasOf(stored: z.infer<typeof alias>): PlannedAlias {
  const { URN: urn, Name: name, Type: type, Project: project, Stack: stack } = stored
  return { urn, name, type, project, stack, parent: stored.Parent, noParent: stored.NoParent }
}

/** Formats a plan file in Pulumi's format, with sealed secrets and sorted keys. */
export function formatPlan(
  plan: UpdatePlan,
  context: {
    readonly manifest: { readonly time: string; readonly magic: string; readonly version: string }
    /** The configuration as in the stack's file, with sealed secrets. */
    readonly config: Readonly<Record<string, Json>>
    readonly encrypt: Crypter['encrypt']
  },
): string {
  const seal = (map: PropertyMap): JsonObject =>
    encodeStoredMap(map, plaintext => ({ ciphertext: context.encrypt(plaintext) }))
  const resourcePlans = Object.fromEntries(
    [...plan.resources]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([urn, one]) => [urn, encodePlannedResource(one, seal)]),
  )
  const config = Object.keys(context.config).length === 0 ? {} : { config: context.config }
  return `${JSON.stringify({ manifest: context.manifest, ...config, resourcePlans }, undefined, 4)}\n`
}

function encodePlannedResource(
  { goal: planned, ops, outputs, seed }: PlannedResource,
  seal: (map: PropertyMap) => JsonObject,
): object {
  return {
    ...(planned === undefined ? {} : { goal: encodePlannedGoal(planned, seal) }),
    ...(ops.length === 0 ? {} : { steps: ops }),
    state: outputs === undefined ? null : seal(outputs),
    ...(seed === undefined ? {} : { seed: Buffer.from(seed).toString('base64') }),
  }
}

function encodePlannedGoal(planned: PlannedGoal, seal: (map: PropertyMap) => JsonObject): object {
  const { type, name, custom, protect, customTimeouts } = planned
  const differenceOf = ({ adds, deletes, updates }: PlannedDifference): object => ({
    ...(adds.size === 0 ? {} : { adds: seal(adds) }),
    ...(deletes.length === 0 ? {} : { deletes }),
    ...(updates.size === 0 ? {} : { updates: seal(updates) }),
  })
  const list = (key: string, items: readonly unknown[]): object =>
    items.length === 0 ? {} : { [key]: items }
  const text = (key: string, value: string): object => (value === '' ? {} : { [key]: value })
  const { propertyDependencies: byProperty, deleteBeforeReplace } = planned
  return {
    ...{ type, name, custom },
    inputDiff: differenceOf(planned.inputs),
    outputDiff: differenceOf(planned.outputs),
    ...text('parent', planned.parent),
    protect,
    ...list('dependencies', planned.dependencies),
    ...text('provider', planned.provider),
    ...(byProperty.size === 0 ? {} : { propertyDependencies: Object.fromEntries(byProperty) }),
    ...(deleteBeforeReplace === undefined ? {} : { deleteBeforeReplace }),
    ...list('ignoreChanges', planned.ignoreChanges),
    ...list('additionalSecretOutputs', planned.additionalSecretOutputs),
    ...list('structuredAliases', planned.aliases.map(encodePlannedAlias)),
    ...text('id', planned.id),
    customTimeouts,
  }
}

function encodePlannedAlias({
  urn,
  name,
  type,
  project,
  stack,
  parent,
  noParent,
}: PlannedAlias): object {
  return {
    ...{ URN: urn, Name: name, Type: type, Project: project },
    ...{ Stack: stack, Parent: parent, NoParent: noParent },
  }
}
