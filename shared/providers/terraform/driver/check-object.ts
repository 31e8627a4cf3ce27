import type { PropertyMap } from '../../../values/value.ts'
import { createSeededRandom } from '../../../names/seeded-random.ts'
import type { CheckFailure, CheckResult, Provider } from '../../provider.ts'
import { formatPath } from '../../../values/path.ts'
import { toCtyPaths } from '../mapping/property-paths.ts'
import { findAttributeAtPath } from '../plan/object-shape.ts'
import { findEphemeralReferences } from './ephemeral-inputs.ts'
import { withUnknownEphemerals } from './open-ephemerals.ts'
import { markSensitiveInputs } from './sensitive-inputs.ts'
import { formatPathOf, readProblems } from './diagnostics.ts'
import { buildObjectConfig } from './resource-config.ts'
import type { ResourceType } from './terraform-package.ts'
import { showWarnings, type TerraformSession } from './terraform-session.ts'
import { encodeValue } from './wire-values.ts'

type CheckRequest = Parameters<Provider['check']>[0]

/**
 * Checks the inputs of a resource: their types, and the provider's own validation. Generates a
 * missing name. Returns all failures, with the property names of the program. Throws ProviderError.
 */
export async function checkObject(
  session: TerraformSession,
  request: CheckRequest,
): Promise<CheckResult> {
  const { urn, type: token } = request
  const resource = session.pkg.requireResource(token)
  const namedInputs = addMissingName(resource, request)
  const config = buildObjectConfig(resource, withUnknownEphemerals(namedInputs))
  const formatCtyPath = formatPathOf(resource)
  const buildFailures = config.problems.map(
    ({ message, path }): CheckFailure => ({
      property: formatCtyPath(path),
      reason: message,
    }),
  )
  const response = await session.client.validateResourceConfig({
    typeName: resource.typeName,
    config: encodeValue(config.value, resource.type),
  })
  const { errors, warnings } = readProblems(response, {
    type: resource.type,
    formatPath: formatCtyPath,
  })
  showWarnings(session, urn, warnings)
  return {
    inputs: markSensitiveInputs(resource.block, resource.names, namedInputs),
    failures: [
      ...buildFailures,
      ...findMisplacedReferences(resource, namedInputs),
      ...errors.map(({ message, property }) => ({ property, reason: message })),
    ],
  }
}

/**
 * Finds references to ephemeral values outside of write-only attributes. Records contain the values
 * of all other attributes.
 */
function findMisplacedReferences(
  { block, names }: ResourceType,
  inputs: PropertyMap,
): readonly CheckFailure[] {
  return findEphemeralReferences(inputs).flatMap(({ path }) => {
    const property = formatPath(path)
    const [ctyPath = []] = toCtyPaths(names, property)
    return findAttributeAtPath(block, ctyPath)?.isWriteOnly === true
      ? []
      : [{ property, reason: 'only a write-only property can have an ephemeral value' }]
  })
}

/** Maximum length of a generated name. */
const nameCharsMax = 255

/**
 * Returns the inputs with a name, if the type has the input `name` and the program does not set it.
 * The name of the old inputs is used again. If the user disables naming, no name is generated.
 */
function addMissingName(resource: ResourceType, request: CheckRequest): PropertyMap {
  const { newInputs, oldInputs, naming, name, randomSeed } = request
  const attribute = resource.block.attributes.get('name')
  const hasNameInput =
    attribute?.kind === 'plain' &&
    attribute.type.kind === 'string' &&
    (attribute.isRequired === true || attribute.isOptional === true)
  if (!hasNameInput || newInputs.has('name')) return newInputs
  const oldName = oldInputs?.get('name')
  if (oldName !== undefined) return new Map([...newInputs, ['name', oldName]])
  if (naming?.mode === 'disable') return newInputs
  const newName = naming?.name ?? generateName(name, randomSeed)
  return new Map([...newInputs, ['name', newName.slice(0, nameCharsMax)]])
}

function generateName(name: string, seed: Uint8Array): string {
  // Seven hexadecimal digits, as in the generated names of Pulumi's bridge.
  const bytes = createSeededRandom(seed).nextBytes(4)
  return `${name}-${Buffer.from(bytes).toString('hex').slice(0, 7)}`
}
