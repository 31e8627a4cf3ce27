import { containsUnknown } from '../../values/special-values.ts'
import { type PropertyMap, type PropertyValue, unknown } from '../../values/value.ts'
import { ProviderError } from '../provider-error.ts'
import { checkTypeInputs, type TypeContext } from './check-context.ts'
import { listChangedProperties, quoteNames } from './compare-properties.ts'
import {
  bothProtocols,
  type Contract,
  type ContractOutcome,
  failIf,
  fail,
  exempt,
  passed,
  skip,
} from './contract.ts'
import { describeFailures, requireSurvival } from './provider-contracts.ts'
import { createWrongValue } from './sample-inputs.ts'

const source = 'docs/spec/provider-protocol.md#check'
const common = { source, severity: 'error', protocols: bothProtocols } as const

/** The contracts of Check. */
export const checkContracts: readonly Contract<TypeContext>[] = [
  {
    ...common,
    id: 'check-accepts',
    title: 'the check accepts the configuration',
    remedy: 'Accept the configuration, or name another one in the file of --config.',
    run: acceptInputs,
  },
  {
    ...common,
    id: 'check-stable',
    title: 'a check of its own result changes nothing',
    remedy: 'Set defaults and names only where they are missing, and keep those of the old inputs.',
    async run(context) {
      const checkedInputs = context.requireFact('checkedInputs')
      const { inputs } = await checkTypeInputs(context, checkedInputs, checkedInputs)
      const differences = listChangedProperties(checkedInputs, inputs)
      return failIf(
        differences.length === 0
          ? undefined
          : `the second check changed ${quoteNames(differences)}`,
      )
    },
  },
  {
    ...common,
    id: 'check-unknowns',
    title: 'the check accepts unknown values, and keeps them unknown',
    remedy: 'Check only known values, and return unknown ones as they are.',
    async run(context) {
      const unknowns = replaceByUnknowns(context.requireFact('checkedInputs'))
      if (unknowns.size === 0) return exempt('the configuration has no properties')
      const { inputs, failures } = await checkTypeInputs(context, unknowns)
      if (failures.length > 0) return fail(describeFailures(failures))
      const knownNames = [...unknowns.keys()].filter(name => !containsUnknown(inputs.get(name)))
      return failIf(knownNames.length === 0 ? undefined : `${quoteNames(knownNames)} became known`)
    },
  },
  {
    ...common,
    id: 'check-missing',
    title: 'the check refuses inputs without a required property',
    remedy: 'Return a failure that names the missing property, or fill in a default.',
    run: omitRequired,
  },
  {
    ...common,
    id: 'check-wrong-type',
    title: 'the check refuses a value of a wrong type',
    remedy: 'Return a failure that names the property with the wrong type.',
    run: sendWrongTypes,
  },
  {
    ...common,
    id: 'check-malformed',
    title: 'the check does not crash on unusual inputs',
    remedy: 'Return failures for inputs that the provider cannot read.',
    run: sendUnusualInputs,
  },
]

async function acceptInputs(context: TypeContext): Promise<ContractOutcome> {
  if (context.inputs === undefined)
    return skip('no configuration can be generated for the type: name one with --config')
  const { inputs, failures } = await checkTypeInputs(context, context.inputs)
  if (failures.length > 0) return outcomeOfRefusal(context, describeFailures(failures))
  if (containsUnknown(inputs)) return fail('the result has unknown values')
  context.provideFacts({ checkedInputs: inputs })
  return passed
}

/**
 * Returns the outcome for refused inputs. A provider may refuse generated inputs for their values.
 */
export function outcomeOfRefusal({ isGenerated }: TypeContext, reason: string): ContractOutcome {
  return isGenerated
    ? skip(`the generated configuration is refused: ${reason}. Name one with --config`)
    : fail(reason)
}

/** Replaces each property of inputs by an unknown value. Internal properties are left out. */
export function replaceByUnknowns(inputs: PropertyMap): PropertyMap {
  return new Map(
    [...inputs].flatMap(([name]): readonly (readonly [string, PropertyValue])[] =>
      name.startsWith('__') ? [] : [[name, unknown]],
    ),
  )
}

/** Omits the required properties one at a time. A provider may fill in the missing one. */
async function omitRequired(context: TypeContext): Promise<ContractOutcome> {
  const checkedInputs = context.requireFact('checkedInputs')
  const requiredProperties = [...context.type.inputs].filter(
    ([name, { isRequired }]) => isRequired && checkedInputs.has(name),
  )
  if (requiredProperties.length === 0) return exempt('the schema requires no property')
  for (const [name] of requiredProperties) {
    const inputs = new Map(checkedInputs)
    inputs.delete(name)
    const isAccepted = await acceptsWrongInputs(context, inputs, result => !result.has(name))
    if (isAccepted) return fail(`inputs without '${name}' are accepted`)
  }
  return passed
}

async function sendWrongTypes(context: TypeContext): Promise<ContractOutcome> {
  const checkedInputs = context.requireFact('checkedInputs')
  const wrongValues = [...context.type.inputs].flatMap(([name, { type }]) => {
    const value = createWrongValue(type)
    return value === undefined ? [] : [[name, value] as const]
  })
  if (wrongValues.length === 0) return exempt('the schema has no property with a fixed type')
  const acceptedNames: string[] = []
  for (const [name, value] of wrongValues)
    if (await acceptsWrongInputs(context, new Map([...checkedInputs, [name, value]]), () => true))
      acceptedNames.push(name)
  return failIf(
    acceptedNames.length === 0
      ? undefined
      : `a value of another type is accepted for ${quoteNames(acceptedNames)}`,
  )
}

/**
 * Reports whether Check accepts wrong inputs with a result for which `isFlawed` is true. An error
 * that the provider returns is a refusal. Throws ProviderError if the process ended.
 */
async function acceptsWrongInputs(
  context: TypeContext,
  inputs: PropertyMap,
  isFlawed: (inputs: PropertyMap) => boolean,
): Promise<boolean> {
  try {
    const result = await checkTypeInputs(context, inputs)
    return result.failures.length === 0 && isFlawed(result.inputs)
  } catch (thrown) {
    if (!(thrown instanceof ProviderError) || thrown.status === 'lost') throw thrown
    return false
  }
}

const longTextChars = 100_000

async function sendUnusualInputs(context: TypeContext): Promise<ContractOutcome> {
  const checkedInputs = context.requireFact('checkedInputs')
  const nullInputs = new Map([...checkedInputs.keys()].map(name => [name, null] as const))
  const deepValue = Array.from({ length: 50 }).reduce<PropertyValue>(
    inner => new Map([['inner', inner]]),
    null,
  )
  const unusualInputs: readonly PropertyMap[] = [
    new Map(),
    nullInputs,
    new Map([...checkedInputs, ['noSuchProperty', deepValue]]),
    new Map([...checkedInputs].map(([name]) => [name, 'x'.repeat(longTextChars)] as const)),
    new Map([...checkedInputs].map(([name]) => [name, '\u0000 \u{1f4a5} e\u0301 ${x}'] as const)),
    new Map([...checkedInputs].map(([name]) => [name, 1e308] as const)),
    new Map([...checkedInputs].map(([name]) => [name, [null]] as const)),
  ]
  for (const inputs of unusualInputs) {
    const outcome = await requireSurvival(context, () => checkTypeInputs(context, inputs))
    if (outcome.kind === 'failed') return outcome
  }
  return passed
}
