import { requireNoErrors } from './require-no-errors.ts'
import type { PropertyMap, PropertyValue } from '../../../values/value.ts'
import { emptyMap, isMap, unknown } from '../../../values/value.ts'
import type { CallResult, CheckFailure, Provider } from '../../provider.ts'
import { functionResultKey, nameArguments } from '../mapping/function-names.ts'
import type { FunctionParameter, FunctionSignature } from '../mapping/read-schema-messages.ts'
import { shapeOfType } from '../mapping/property-names.ts'
import { toOutputs, toOutputValue } from '../mapping/to-outputs.ts'
import { planUnknown } from '../plan/proposed-new.ts'
import type { BuildReport } from '../values/config-problem.ts'
import { convertInput } from '../values/convert-input.ts'
import { createAttributeStep } from '../values/cty-path.ts'
import { type CtyValue, isWhollyKnown } from '../values/cty-value.ts'
import { listSensitivePaths } from '../values/sensitive-paths.ts'
import type { CtyType } from '../values/type-system.ts'
import { isList } from '../../../values/value.ts'
import { buildInvokeConfig } from './invoke-config.ts'
import { listObjects } from './list-objects.ts'
import {
  createRefusal,
  describeProviderBug,
  readResponse,
  requireNoDeferral,
} from './provider-failure.ts'
import { runAction } from './run-action.ts'
import type { TypeSchema } from './terraform-package.ts'
import { type TerraformSession } from './terraform-session.ts'
import { decodeValue, encodeValue } from './wire-values.ts'

type InvokeRequest = Parameters<Provider['invoke']>[0]

/**
 * Calls a function of a provider, lists objects, runs an action, or reads a data source. Throws
 * ProviderError.
 */
export async function invokeToken(
  session: TerraformSession,
  request: InvokeRequest,
): Promise<CallResult> {
  await session.waitUntilConfigured()
  const providerFunction = session.pkg.findFunction(request.token)
  if (providerFunction !== undefined) return callFunction(session, providerFunction, request)
  const invoke = selectInvoke(session, request)
  return session.isUnconfigured() ? { outputs: emptyMap, failures: [] } : invoke()
}

/**
 * Returns the call for a token that names no function. Throws ProviderError for an unknown token.
 */
function selectInvoke(
  session: TerraformSession,
  request: InvokeRequest,
): () => Promise<CallResult> {
  const listedType = session.pkg.findListedType(request.token)
  if (listedType !== undefined) return () => listObjects(session, listedType, request)
  const action = session.pkg.findAction(request.token)
  if (action !== undefined) return () => runAction(session, action, request)
  const dataSource = session.pkg.requireDataSource(request.token)
  return () => readDataSource(session, dataSource, request)
}

async function readDataSource(
  session: TerraformSession,
  dataSource: TypeSchema,
  { token, args }: InvokeRequest,
): Promise<CallResult> {
  const { typeName, block, type, names } = dataSource
  const config = await buildInvokeConfig(session, dataSource, {
    token,
    args,
    validate: encoded => session.client.validateDataResourceConfig({ typeName, config: encoded }),
  })
  const { failures } = config
  if (failures.length > 0) return { outputs: emptyMap, failures }
  const toResult = (value: CtyValue): CallResult => {
    const sensitivePaths = [...listSensitivePaths(block, value), ...config.sensitivePaths]
    return { outputs: toOutputs(names, value, sensitivePaths), failures: [] }
  }
  // Only previews have unknown arguments.
  if (!isWhollyKnown(config.value)) return toResult(planUnknown(block, config.value))
  const response = await session.client.readDataSource({
    typeName,
    config: config.encoded,
    providerMeta: session.pkg.providerMeta,
  })
  requireNoErrors(session, dataSource, { verb: 'read', subject: token, response })
  requireNoDeferral(session.pkg.name, `the data source '${token}'`, response)
  const fault = `read '${token}' wrongly`
  const value = readResponse(session.pkg.name, fault, () => decodeValue(response.state, type))
  requireKnown(session, fault, value)
  return toResult(value)
}

/** Throws ProviderError if a result is null or has unknown values. */
function requireKnown(session: TerraformSession, fault: string, value: CtyValue): void {
  if (value.kind !== 'null' && isWhollyKnown(value)) return
  const message = value.kind === 'null' ? 'the result is null' : 'the result has unknown values'
  throw createRefusal(describeProviderBug(session.pkg.name, fault, [{ message, path: [] }]))
}

async function callFunction(
  session: TerraformSession,
  { name, signature }: { readonly name: string; readonly signature: FunctionSignature },
  { token, args }: InvokeRequest,
): Promise<CallResult> {
  const built = buildArguments(signature, args)
  if (built.failures.length > 0) return { outputs: emptyMap, failures: built.failures }
  if (built.hasUnknown) return { outputs: new Map([[functionResultKey, unknown]]), failures: [] }
  const { result, error } = await session.client.callFunction({
    name,
    arguments: built.values.map(({ value, type }) => encodeValue(value, type)),
  })
  if (error !== undefined) {
    const argument =
      error.argumentIndex === undefined ? undefined : built.values[error.argumentIndex]
    if (argument === undefined) throw createRefusal(`cannot call '${token}': ${error.text}`)
    return {
      outputs: emptyMap,
      failures: [{ property: argument.property, reason: error.text }],
    }
  }
  const value = readResponse(session.pkg.name, `answered '${token}' wrongly`, () =>
    decodeValue(result, signature.returnType),
  )
  const property = toOutputValue(value, shapeOfType(value.type), [])
  return {
    outputs:
      isMap(property) && value.kind === 'object'
        ? property
        : new Map([[functionResultKey, property]]),
    failures: [],
  }
}

interface FunctionArgument {
  readonly property: string
  readonly value: CtyValue
  readonly type: CtyType
}

interface BuiltArguments {
  readonly values: readonly FunctionArgument[]
  readonly failures: readonly CheckFailure[]
  /** Whether an argument has unknown parts, although its parameter accepts only known ones. */
  readonly hasUnknown: boolean
}

/** Builds the arguments of a function by name. The input for the variadic parameter is a list. */
function buildArguments(signature: FunctionSignature, args: PropertyMap): BuiltArguments {
  const { parameters, variadicParameter: variadic } = signature
  const failures: CheckFailure[] = []
  let hasUnknown = false
  const convert = (
    parameter: FunctionParameter,
    input: PropertyValue,
    property: string,
  ): FunctionArgument => {
    const report: BuildReport = { problems: [], sensitivePaths: [] }
    const place = { report, path: [createAttributeStep(property)] }
    const value = convertInput(input, parameter.type, place)
    for (const { message } of report.problems) failures.push({ property, reason: message })
    if (value.kind === 'null' && !parameter.allowsNull && report.problems.length === 0)
      failures.push({ property, reason: 'a value is required' })
    if (!isWhollyKnown(value) && !parameter.allowsUnknown) hasUnknown = true
    return { property, value, type: parameter.type }
  }
  const names = nameArguments(signature)
  const values = parameters.map((parameter, index) => {
    const property = names[index] ?? parameter.name
    return convert(parameter, args.get(property) ?? null, property)
  })
  if (variadic === undefined) return { values, failures, hasUnknown }
  const property = names[parameters.length] ?? variadic.name
  const variadicInputs = args.get(property) ?? []
  if (!isList(variadicInputs)) {
    failures.push({ property, reason: 'a list is required' })
    return { values, failures, hasUnknown }
  }
  const variadicArguments = variadicInputs.map((item, index) =>
    convert(variadic, item, `${property}[${index}]`),
  )
  return { values: [...values, ...variadicArguments], failures, hasUnknown }
}
