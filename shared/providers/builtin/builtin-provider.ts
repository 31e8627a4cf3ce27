import { containsSecret } from '../../values/special-values.ts'
import { stackReferenceType, stashType } from '../../names/builtin.ts'
import type { Urn } from '../../names/urn.ts'
import { areEqualValues } from '../../values/equal.ts'
import { emptyMap, isSpecial, type PropertyMap, type PropertyValue } from '../../values/value.ts'
import {
  type CallResult,
  type CheckResult,
  type DiffResult,
  noDiff,
  type Provider,
  type ReadResult,
} from '../provider.ts'
import { ProviderError } from '../provider-error.ts'
import { checkSingleProperty, createStashOutputs } from './stash.ts'

/** Dependencies of the built-in provider. */
export interface BuiltinDeps {
  /** Returns the outputs of a stack by its name. Throws an error for the user. */
  readonly readOutputs: (name: string) => Promise<PropertyMap>
  /** Returns the resources of a stack by URN, each with `type` and `outputs`. */
  readonly readResources: (name: string) => Promise<PropertyMap>
  readonly uuid: () => string
  readonly warn: (message: string, urn: Urn) => void
}

const deprecationWarning =
  `The "${stackReferenceType}" resource type is deprecated. ` +
  'Update your SDK or if already up to date raise an issue at https://github.com/pulumi/pulumi/issues.'

/**
 * Creates the provider of the package `pulumi`: stack references, stashes, and functions that read
 * other stacks. It has no process and no configuration. Source:
 * docs/spec/providers.md#built-in-provider.
 */
export function createBuiltinProvider(deps: BuiltinDeps): Provider {
  const doNothing = (): Promise<void> => Promise.resolve()
  return {
    pkg: 'pulumi',
    version: '',
    isUnconfigured: () => false,
    hasEnded: () => false,
    checkConfig: () => Promise.resolve({ inputs: emptyMap, failures: [] }),
    diffConfig: () => Promise.resolve(noDiff),
    parameterize: () =>
      Promise.reject(createRefusedError('the builtin provider has no parameters')),
    configure: doNothing,
    check: async ({ urn, type, newInputs }) => check(deps, { urn, type, newInputs }),
    diff: async ({ type, oldInputs, newInputs }) => diff(type, oldInputs, newInputs),
    async create({ type, inputs, preview }) {
      const outputs =
        kindOf(type) === 'stash'
          ? createStashOutputs(inputs, undefined)
          : await readReference(deps, inputs)
      return { id: preview ? '' : deps.uuid(), outputs, refreshBeforeUpdate: false }
    },
    async read({ type, id, inputs, outputs }) {
      return { ...(await read(deps, { type, inputs, outputs })), id }
    },
    async update({ type, newInputs, oldOutputs }) {
      if (kindOf(type) !== 'stash') throw createRefusedError(`unrecognized resource type '${type}'`)
      return { outputs: createStashOutputs(newInputs, oldOutputs), refreshBeforeUpdate: false }
    },
    delete: doNothing,
    invoke: ({ token, args }) => invoke(deps, token, args),
    call: () => Promise.reject(createRefusedError('the builtin provider does not implement call')),
    construct: () => Promise.reject(createRefusedError('the builtin provider makes no components')),
    cancel: doNothing,
    close: doNothing,
  }
}

function check(
  { warn }: BuiltinDeps,
  {
    urn,
    type,
    newInputs,
  }: { readonly urn: Urn; readonly type: string; readonly newInputs: PropertyMap },
): CheckResult {
  if (kindOf(type) === 'stash')
    return { inputs: newInputs, failures: checkSingleProperty(newInputs, 'input') }
  // Only registrations emit the warning, because reads do not call Check.
  warn(deprecationWarning, urn)
  const failures = checkSingleProperty(newInputs, 'name')
  const name = newInputs.get('name')
  const isTextOrUnknown = typeof name === 'string' || (isSpecial(name) && name.kind === 'unknown')
  if (failures.length > 0 || isTextOrUnknown) return { inputs: newInputs, failures }
  const reason = 'property "name" must be a string'
  return { inputs: newInputs, failures: [{ property: 'name', reason }] }
}

function diff(type: string, oldInputs: PropertyMap, newInputs: PropertyMap): DiffResult {
  const isStash = kindOf(type) === 'stash'
  const key = isStash ? 'input' : 'name'
  if (areEqualValues(oldInputs.get(key), newInputs.get(key))) return noDiff
  return {
    ...noDiff,
    changes: 'some',
    ...(isStash ? { changedKeys: [key] } : { replaceKeys: [key] }),
  }
}

async function read(
  deps: BuiltinDeps,
  input: {
    readonly type: string
    readonly inputs: PropertyMap | undefined
    readonly outputs: PropertyMap | undefined
  },
): Promise<Omit<ReadResult, 'id'>> {
  const { type, inputs = emptyMap, outputs = emptyMap } = input
  const commonFields = { inputs, refreshBeforeUpdate: false, initErrors: [] }
  if (kindOf(type) === 'stash') {
    if (inputs.size === 0) throw createRefusedError('stash can not be imported')
    return { ...commonFields, outputs }
  }
  const unknownKey = [...inputs.keys()].find(key => key !== 'name')
  if (unknownKey !== undefined) throw createRefusedError(`unknown property "${unknownKey}"`)
  if (!inputs.has('name')) throw createRefusedError('stack reference can not be imported')
  return { ...commonFields, outputs: await readReference(deps, inputs) }
}

async function invoke(deps: BuiltinDeps, token: string, args: PropertyMap): Promise<CallResult> {
  switch (token) {
    case 'pulumi:pulumi:readStackOutputs':
      return { outputs: await readReference(deps, args), failures: [] }
    case 'pulumi:pulumi:readStackResourceOutputs': {
      const name = requireText(args, 'stackName')
      const resources = await withProviderErrors(deps.readResources(name))
      const outputs = new Map<string, PropertyValue>([
        ['name', name],
        ['outputs', resources],
      ])
      return { outputs, failures: [] }
    }
    default:
      throw createRefusedError(`unrecognized function name: '${token}'`)
  }
}

async function readReference(deps: BuiltinDeps, inputs: PropertyMap): Promise<PropertyMap> {
  const name = inputs.get('name')
  // In a preview the name may come from a resource that does not exist yet.
  if (isSpecial(name) && name.kind === 'unknown') return new Map([['name', name]])
  const stackName = requireText(inputs, 'name')
  return createReferenceOutputs(stackName, await withProviderErrors(deps.readOutputs(stackName)))
}

function requireText(args: PropertyMap, key: string): string {
  const value = args.get(key)
  if (typeof value === 'string') return value
  throw createRefusedError(`expected '${key}' to be a string`)
}

function kindOf(type: string): 'stash' | 'reference' {
  if (type === stashType) return 'stash'
  if (type === stackReferenceType) return 'reference'
  throw createRefusedError(`unrecognized resource type '${type}'`)
}

/** Converts the error of a failed read to a provider error, so that only the resource fails. */
async function withProviderErrors<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (thrown) {
    throw thrown instanceof Error ? createRefusedError(thrown.message, thrown) : thrown
  }
}

/** The gRPC code UNKNOWN. */
const unknownCode = 2

function createRefusedError(message: string, cause?: Error): ProviderError {
  return new ProviderError(message, { status: 'unknown', code: unknownCode, cause })
}

/**
 * Returns the outputs of a stack reference: the outputs of the other stack, and the sorted names of
 * the secret ones. Without sorting, a changed order would appear as a difference. Source:
 * docs/spec/providers.md#built-in-provider.
 */
function createReferenceOutputs(name: string, outputs: PropertyMap): PropertyMap {
  const secretNames = [...outputs].filter(([, value]) => containsSecret(value)).map(([key]) => key)
  return new Map<string, PropertyValue>([
    ['name', name],
    ['outputs', outputs],
    ['secretOutputNames', secretNames.sort()],
  ])
}
