import { requireNoErrors } from './require-no-errors.ts'
import { messageOf } from '../../../errors/error.ts'
import { type PropertyMap, type PropertyValue, unknown } from '../../../values/value.ts'
import { collectSecretTexts, createRedactor } from '../../../values/redact-secrets.ts'
import { redactError } from '../../redact-provider-errors.ts'
import type { EphemeralRenewal } from '../client/terraform-client.ts'
import { toOutputs } from '../mapping/to-outputs.ts'
import { planUnknown } from '../plan/proposed-new.ts'
import { isWhollyKnown } from '../values/cty-value.ts'
import {
  type EphemeralReference,
  findEphemeralReferences,
  keyOfEphemeral,
  replaceEphemeralReferences,
} from './ephemeral-inputs.ts'
import {
  createRefusal,
  describeProviderBug,
  readResponse,
  requireNoDeferral,
} from './provider-failure.ts'
import { requireObjectConfig } from './resource-config.ts'
import type { TypeSchema } from './terraform-package.ts'
import { type TerraformSession } from './terraform-session.ts'
import { decodeValue, encodeValue } from './wire-values.ts'

/** An open ephemeral resource. `close` never throws. */
interface OpenEphemeral {
  readonly outputs: PropertyMap
  readonly close: () => Promise<void>
}

/**
 * Runs a function with the values of the ephemeral resources to which inputs refer. Each resource
 * is opened once, renewed before it expires, and closed at the end, even after a failure. Errors
 * and warnings of the function do not contain the values. Throws ProviderError.
 */
export async function withEphemerals<T>(
  session: TerraformSession,
  inputs: PropertyMap,
  use: (resolved: PropertyMap, session: TerraformSession) => Promise<T>,
): Promise<T> {
  if (findEphemeralReferences(inputs).length === 0) return use(inputs, session)
  await session.waitUntilConfigured()
  if (session.isUnconfigured()) return use(withUnknownEphemerals(inputs), session)
  const opened = new Map<string, OpenEphemeral>()
  try {
    const resolved = await resolveInputs(session, inputs, opened)
    return await withRedaction(session, resolved, use)
  } finally {
    // A resource may depend on one that was opened earlier, so the last one is closed first.
    for (const ephemeral of [...opened.values()].toReversed()) await ephemeral.close()
  }
}

/** Runs a function with `resolved`. Removes the secrets of `resolved` from errors and warnings. */
async function withRedaction<T>(
  session: TerraformSession,
  resolved: PropertyMap,
  use: (resolved: PropertyMap, session: TerraformSession) => Promise<T>,
): Promise<T> {
  const redact = createRedactor(collectSecretTexts(resolved))
  try {
    return await use(resolved, { ...session, warn: text => session.warn(redact(text)) })
  } catch (thrown) {
    throw redactError(thrown, redact)
  }
}

/** Returns inputs with unknown values in the place of references, for checks without opening. */
export function withUnknownEphemerals(inputs: PropertyMap): PropertyMap {
  return replaceEphemeralReferences(inputs, () => unknown)
}

/**
 * Opens the ephemeral resources to which inputs refer, and adds them to `opened`. Returns the
 * inputs with values of the resources in place of the references. Opens no resource twice.
 */
async function resolveInputs(
  session: TerraformSession,
  inputs: PropertyMap,
  opened: Map<string, OpenEphemeral>,
): Promise<PropertyMap> {
  const references = findEphemeralReferences(inputs)
  if (references.length === 0) return inputs
  for (const { reference } of references) {
    const key = keyOfEphemeral(reference)
    if (opened.has(key)) continue
    const resolvedArgs = await resolveInputs(session, reference.args, opened)
    const ephemeral = await withRedaction(session, resolvedArgs, (args, redactedSession) =>
      openEphemeral(redactedSession, { ...reference, args }),
    )
    opened.set(key, ephemeral)
  }
  return replaceEphemeralReferences(inputs, reference => readAttribute(reference, opened))
}

function readAttribute(
  reference: EphemeralReference,
  opened: ReadonlyMap<string, OpenEphemeral>,
): PropertyValue {
  const { typeName, attribute } = reference
  const value = opened.get(keyOfEphemeral(reference))?.outputs.get(attribute)
  if (value === undefined)
    throw createRefusal(`the ephemeral resource '${typeName}' has no value '${attribute}'`)
  return value
}

/** Opens an ephemeral resource. Closes it again if its result is invalid. */
async function openEphemeral(
  session: TerraformSession,
  { typeName, args }: EphemeralReference,
): Promise<OpenEphemeral> {
  const { client, pkg } = session
  const schema = pkg.requireEphemeral(typeName)
  const { block, type, names } = schema
  const config = requireObjectConfig(schema, typeName, args)
  if (!isWhollyKnown(config.value)) {
    // Only previews have unknown arguments. The resource is opened when they are known.
    const outputs = toOutputs(names, planUnknown(block, config.value), [])
    return { outputs, close: () => Promise.resolve() }
  }
  const request = { typeName, config: encodeValue(config.value, type) }
  const validated = await client.validateEphemeralResourceConfig(request)
  requireNoErrors(session, schema, { verb: 'open', subject: typeName, response: validated })
  const response = await client.openEphemeralResource(request)
  requireNoErrors(session, schema, { verb: 'open', subject: typeName, response })
  requireNoDeferral(pkg.name, `the opening of '${typeName}'`, response)
  const close = keepOpen(session, schema, response)
  const fault = `opened '${typeName}' wrongly`
  try {
    const value = readResponse(pkg.name, fault, () => decodeValue(response.result, type))
    const problem =
      value.kind === 'null'
        ? 'the result is null'
        : isWhollyKnown(value)
          ? undefined
          : 'the result has unknown values'
    if (problem !== undefined)
      throw createRefusal(describeProviderBug(pkg.name, fault, [{ message: problem, path: [] }]))
    return { outputs: toOutputs(names, value, []), close }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

/** The longest delay of a timer. Node would run a timer with a longer delay immediately. */
const timerMsMax = 2 ** 31 - 1

/**
 * Renews an ephemeral resource at the times that its provider names, until a renewal fails. Returns
 * the function that closes the resource.
 */
function keepOpen(
  session: TerraformSession,
  schema: TypeSchema,
  opened: EphemeralRenewal,
): () => Promise<void> {
  const { typeName } = schema
  const { client } = session
  let latest = opened
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let renewal: Promise<void> = Promise.resolve()
  const report = (verb: string, thrown: unknown): void =>
    session.warn(`cannot ${verb} the ephemeral resource '${typeName}': ${messageOf(thrown)}`)
  const renew = async (): Promise<void> => {
    try {
      const response = await client.renewEphemeralResource({ typeName, private: latest.private })
      requireNoErrors(session, schema, { verb: 'renew', subject: typeName, response })
      latest = response
      schedule()
    } catch (thrown) {
      report('renew', thrown)
    }
  }
  const schedule = (): void => {
    if (isClosed || latest.renewAtMs === undefined) return
    const delayMs = Math.min(Math.max(0, latest.renewAtMs - Date.now()), timerMsMax)
    timer = setTimeout(() => {
      renewal = renew()
    }, delayMs)
  }
  schedule()
  return async () => {
    isClosed = true
    clearTimeout(timer)
    await renewal
    try {
      const response = await client.closeEphemeralResource({ typeName, private: latest.private })
      requireNoErrors(session, schema, { verb: 'close', subject: typeName, response })
    } catch (thrown) {
      report('close', thrown)
    }
  }
}
