import * as z from 'zod'
import { limits } from '../../config/limits.ts'
import { createError, messageOf } from '../../errors/error.ts'
import { isUrn, urnPartsOf, type Urn } from '../../names/urn.ts'
import type { Crypter } from '../../secrets/crypter.ts'
import type { CustomTimeouts } from '../../state/resource.ts'
import type { Json } from '../../values/json.ts'
import { decodeStoredMap, encodeStoredMap, type JsonObject } from '../../values/value-codec.ts'
import type { PropertyMap } from '../../values/value.ts'
import type {
  PlannedAlias,
  PlannedDifference,
  PlannedGoal,
  PlannedResource,
  UpdatePlan,
} from './update-plan.ts'
import { parseForm } from '../../values/parse-form.ts'
import { createRecordForm, jsonForm } from '../../values/record-form.ts'

const propertiesForm = createRecordForm(jsonForm).nullish()
const textsForm = z.array(z.string()).nullish()
const differenceForm = z
  .strictObject({ adds: propertiesForm, deletes: textsForm, updates: propertiesForm })
  .nullish()

const timeoutsForm = z
  .strictObject({
    create: z.number().optional(),
    update: z.number().optional(),
    delete: z.number().optional(),
    read: z.number().optional(),
  })
  .nullish()

const aliasForm = z.strictObject({
  URN: z.string().default(''),
  Name: z.string().default(''),
  Type: z.string().default(''),
  Project: z.string().default(''),
  Stack: z.string().default(''),
  Parent: z.string().default(''),
  NoParent: z.boolean().default(false),
})

const goalForm = z.strictObject({
  type: z.string(),
  name: z.string(),
  custom: z.boolean(),
  inputDiff: differenceForm,
  outputDiff: differenceForm,
  parent: z.string().default(''),
  protect: z.boolean().default(false),
  dependencies: textsForm,
  provider: z.string().default(''),
  propertyDependencies: createRecordForm(textsForm).nullish(),
  deleteBeforeReplace: z.boolean().nullish(),
  ignoreChanges: textsForm,
  additionalSecretOutputs: textsForm,
  aliases: textsForm,
  structuredAliases: z.array(aliasForm).nullish(),
  id: z.string().default(''),
  customTimeouts: timeoutsForm,
})

const resourceForm = z.strictObject({
  goal: goalForm.nullish(),
  steps: textsForm,
  state: propertiesForm,
  seed: z.base64().nullish(),
})

const planFileForm = z.strictObject({
  manifest: z.looseObject({}),
  config: z.looseObject({}).nullish(),
  resourcePlans: z.record(z.string(), resourceForm).nullish(),
})

/** Step names that a plan file may contain. */
const knownSteps: ReadonlySet<string> = new Set([
  ...['same', 'create', 'update', 'delete', 'replace', 'create-replacement', 'delete-replaced'],
  ...['read', 'read-replacement', 'refresh', 'discard', 'discard-replaced'],
  ...['remove-pending-replace', 'import', 'import-replacement'],
])

/**
 * Reads a plan file in Pulumi's format. Throws PLAN_INVALID for a plan that is damaged, too large
 * or of another stack. A plan also counts as damaged if it has an unknown field or step, or a
 * secret that the key of this stack cannot decrypt.
 */
export function readUpdatePlan(
  text: string,
  context: {
    readonly stack: string
    readonly project: string
    readonly decrypt: Crypter['decrypt']
  },
): UpdatePlan {
  const parsed = parseForm(planFileForm, parsePlanJson(text))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const location =
      issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`
    throw createError('PLAN_INVALID', `the plan cannot be read${location}: ${issue?.message ?? ''}`)
  }
  const resources = new Map<Urn, PlannedResource>()
  for (const [name, storedResource] of Object.entries(parsed.data.resourcePlans ?? {}))
    resources.set(parsePlanUrn(name, context), resourceOf(name, storedResource, context.decrypt))
  return { resources }
}

function parsePlanJson(text: string): unknown {
  if (Buffer.byteLength(text) > limits.planBytesMax)
    throw createError('PLAN_INVALID', `the plan has more than ${limits.planBytesMax} bytes`)
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw createError('PLAN_INVALID', `the plan is not valid JSON: ${messageOf(thrown)}`)
  }
}

/** Parses a URN of a plan. Throws PLAN_INVALID if it is invalid or of another stack. */
function parsePlanUrn(
  name: string,
  context: { readonly stack: string; readonly project: string },
): Urn {
  if (!isUrn(name)) throw createError('PLAN_INVALID', `the plan contains the invalid URN '${name}'`)
  const { stack, project } = urnPartsOf(name)
  if (stack === context.stack && project === context.project) return name
  throw createError(
    'PLAN_INVALID',
    `the plan is not for stack '${context.stack}' of project '${context.project}': it contains '${name}'`,
  )
}

function resourceOf(
  urn: string,
  storedResource: z.infer<typeof resourceForm>,
  decrypt: Crypter['decrypt'],
): PlannedResource {
  const unknownStep = storedResource.steps?.find(op => !knownSteps.has(op))
  if (unknownStep !== undefined)
    throw createError('PLAN_INVALID', `the plan has the unknown step '${unknownStep}' for '${urn}'`)
  const openProperties = (map: z.infer<typeof propertiesForm>): PropertyMap => {
    try {
      return decodeStoredMap(map ?? {}, decrypt)
    } catch (thrown) {
      throw createError('PLAN_INVALID', `a value of '${urn}' cannot be read: ${messageOf(thrown)}`)
    }
  }
  const { seed } = storedResource
  return {
    goal: storedResource.goal == null ? undefined : goalOf(storedResource.goal, openProperties),
    ops: storedResource.steps ?? [],
    outputs: storedResource.state == null ? undefined : openProperties(storedResource.state),
    seed: seed == null ? undefined : Buffer.from(seed, 'base64'),
  }
}

function goalOf(
  storedGoal: z.infer<typeof goalForm>,
  openProperties: (map: z.infer<typeof propertiesForm>) => PropertyMap,
): PlannedGoal {
  const differenceOf = (storedDifference: z.infer<typeof differenceForm>): PlannedDifference => ({
    adds: openProperties(storedDifference?.adds),
    deletes: storedDifference?.deletes ?? [],
    updates: openProperties(storedDifference?.updates),
  })
  const { type, name, custom, parent, protect, provider, id } = storedGoal
  const dependenciesByProperty = Object.entries(storedGoal.propertyDependencies ?? {})
  return {
    ...{ type, name, custom, parent, protect, provider, id },
    inputs: differenceOf(storedGoal.inputDiff),
    outputs: differenceOf(storedGoal.outputDiff),
    dependencies: storedGoal.dependencies ?? [],
    propertyDependencies: new Map(dependenciesByProperty.map(([key, urns]) => [key, urns ?? []])),
    deleteBeforeReplace: storedGoal.deleteBeforeReplace ?? undefined,
    ignoreChanges: storedGoal.ignoreChanges ?? [],
    additionalSecretOutputs: storedGoal.additionalSecretOutputs ?? [],
    aliases: [
      ...(storedGoal.structuredAliases ?? []).map(aliasOf),
      ...(storedGoal.aliases ?? []).map(urn => aliasOf(aliasForm.parse({ URN: urn }))),
    ],
    customTimeouts: timeoutsOf(storedGoal.customTimeouts),
  }
}

function timeoutsOf(storedTimeouts: z.infer<typeof timeoutsForm>): CustomTimeouts {
  const entries = Object.entries(storedTimeouts ?? {}).filter(
    ([, seconds]) => seconds !== undefined,
  )
  return Object.fromEntries(entries)
}

function aliasOf(storedAlias: z.infer<typeof aliasForm>): PlannedAlias {
  const { URN: urn, Name: name, Type: type, Project: project, Stack: stack } = storedAlias
  return {
    urn,
    name,
    type,
    project,
    stack,
    parent: storedAlias.Parent,
    noParent: storedAlias.NoParent,
  }
}

/** Formats a plan file in Pulumi's format, with sealed secrets. The resources are sorted by URN. */
export function formatUpdatePlan(
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
      .map(([urn, plannedResource]) => [urn, encodePlannedResource(plannedResource, seal)]),
  )
  const config = Object.keys(context.config).length === 0 ? {} : { config: context.config }
  return `${JSON.stringify({ manifest: context.manifest, ...config, resourcePlans }, undefined, 4)}\n`
}

function encodePlannedResource(
  { goal: plannedGoal, ops, outputs, seed }: PlannedResource,
  seal: (map: PropertyMap) => JsonObject,
): object {
  return {
    ...(plannedGoal === undefined ? {} : { goal: encodePlannedGoal(plannedGoal, seal) }),
    ...(ops.length === 0 ? {} : { steps: ops }),
    state: outputs === undefined ? null : seal(outputs),
    ...(seed === undefined ? {} : { seed: Buffer.from(seed).toString('base64') }),
  }
}

function encodePlannedGoal(
  plannedGoal: PlannedGoal,
  seal: (map: PropertyMap) => JsonObject,
): object {
  const { type, name, custom, protect, customTimeouts } = plannedGoal
  const differenceOf = ({ adds, deletes, updates }: PlannedDifference): object => ({
    ...(adds.size === 0 ? {} : { adds: seal(adds) }),
    ...(deletes.length === 0 ? {} : { deletes }),
    ...(updates.size === 0 ? {} : { updates: seal(updates) }),
  })
  const listField = (key: string, items: readonly unknown[]): object =>
    items.length === 0 ? {} : { [key]: items }
  const createTextField = (key: string, value: string): object =>
    value === '' ? {} : { [key]: value }
  const { propertyDependencies: dependenciesByProperty, deleteBeforeReplace } = plannedGoal
  return {
    ...{ type, name, custom },
    inputDiff: differenceOf(plannedGoal.inputs),
    outputDiff: differenceOf(plannedGoal.outputs),
    ...createTextField('parent', plannedGoal.parent),
    protect,
    ...listField('dependencies', plannedGoal.dependencies),
    ...createTextField('provider', plannedGoal.provider),
    ...(dependenciesByProperty.size === 0
      ? {}
      : { propertyDependencies: Object.fromEntries(dependenciesByProperty) }),
    ...(deleteBeforeReplace === undefined ? {} : { deleteBeforeReplace }),
    ...listField('ignoreChanges', plannedGoal.ignoreChanges),
    ...listField('additionalSecretOutputs', plannedGoal.additionalSecretOutputs),
    ...listField('structuredAliases', plannedGoal.aliases.map(encodePlannedAlias)),
    ...createTextField('id', plannedGoal.id),
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
