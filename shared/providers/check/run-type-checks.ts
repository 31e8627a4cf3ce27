import { createHash } from 'node:crypto'
import { messageOf } from '../../errors/error.ts'
import { emptyMap, type PropertyMap, secretOf } from '../../values/value.ts'
import {
  createFactStore,
  deleteLiveObject,
  identityOfType,
  type TypeContext,
} from './check-context.ts'
import { type CheckedType, createUndescribedType } from './checked-schema.ts'
import { type Contract, type ContractOutcome, fail, exempt, passed } from './contract.ts'
import { typeContracts } from './contracts.ts'
import { terraformCoreContracts } from './core-checks/core-contracts.ts'
import { cleanUpContract } from './delete-contracts.ts'
import type { ProviderCheckRun } from './check-request.ts'
import { createSampleInputs } from './sample-inputs.ts'

/** Checks the selected resource types, one after the other. */
export async function checkTypes(run: ProviderCheckRun): Promise<void> {
  for (const token of selectTokens(run)) await checkType(run, token)
}

/** Returns the requested types, or those with a configuration, or all types of the schema. */
function selectTokens({ request, context }: ProviderCheckRun): readonly string[] {
  if (request.typeTokens.length > 0) return request.typeTokens
  const configured = [...request.config.types.keys()]
  return configured.length > 0 ? configured : [...(context.getSchema()?.types.keys() ?? [])]
}

/** Checks a type: its contracts, the clean-up, and then Terraform's rules on the recorded calls. */
async function checkType(run: ProviderCheckRun, token: string): Promise<void> {
  const type = run.context.getSchema()?.types.get(token) ?? createUndescribedType(token)
  const context = createTypeContext(run, type)
  await recordAll(run, context, typeContracts)
  await run.record(cleanUpContract, () => deleteTracked(context), {
    ...entryOptionsOf(context),
    runsAlways: true,
  })
  await recordAll(run, context, terraformCoreContracts)
}

async function recordAll(
  { request, record }: ProviderCheckRun,
  context: TypeContext,
  contracts: readonly Contract<TypeContext>[],
): Promise<void> {
  for (const contract of contracts)
    if (contract.protocols.includes(request.protocol))
      await record(contract, () => contract.run(context), entryOptionsOf(context))
}

function entryOptionsOf({ type, listSecretSources }: TypeContext): {
  readonly type: string
  readonly listSecretSources: TypeContext['listSecretSources']
} {
  return { type: type.token, listSecretSources }
}

function createTypeContext({ request, context }: ProviderCheckRun, type: CheckedType): TypeContext {
  const configurations = request.config.types.get(type.token) ?? []
  const [configured, ...furtherInputs] = configurations
  const isDescribed = context.getSchema()?.types.has(type.token) === true
  const generateInputs = (): PropertyMap | undefined =>
    isDescribed ? createSampleInputs(type, request.label) : emptyMap
  const store = createFactStore()
  return {
    ...context,
    ...store,
    listSecretSources: () => [
      ...configurations.map(inputs => markDeclaredSecrets(type, inputs)),
      ...store.listSecretSources(),
    ],
    type,
    inputs: configured ?? generateInputs(),
    isGenerated: configured === undefined,
    furtherInputs,
    identity: identityOfType(type.token),
    seed: createHash('sha256').update(`${request.label} ${type.token}`).digest(),
  }
}

/** Marks as secret the inputs that the schema declares secret. */
function markDeclaredSecrets(type: CheckedType, inputs: PropertyMap): PropertyMap {
  return new Map(
    [...inputs].map(([name, value]) => [
      name,
      type.inputs.get(name)?.isSecret === true ? secretOf(value) : value,
    ]),
  )
}

/** Deletes the remaining objects. A failure names the objects that cannot be deleted. */
async function deleteTracked(context: TypeContext): Promise<ContractOutcome> {
  const remaining = context.listTracked()
  if (remaining.length === 0 && context.findFact('deleted') === undefined)
    return exempt('the check created no object')
  const failures: string[] = []
  for (const object of remaining)
    try {
      await deleteLiveObject(context, object)
      context.untrack(object.id)
    } catch (thrown) {
      failures.push(`'${object.id}' is left: ${messageOf(thrown)}`)
    }
  return failures.length === 0 ? passed : fail(failures.join('; '))
}
