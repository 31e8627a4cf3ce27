/**
 * test/verifier: an independent check of exported states. The check is based only on the published
 * form of Pulumi states. The code imports nothing of the product, so that no error of the product
 * is repeated here.
 */
import { createHash } from 'node:crypto'
import { checkFeatures } from './features.ts'
import { checkIntegrity } from './integrity.ts'
import {
  fieldOf,
  itemsOf,
  type OrderedJson,
  parseOrdered,
  writeStateText,
  textOf,
  writeOrdered,
} from './ordered-json.ts'
import { isSealed, checkPropertyValue } from './property.ts'
import {
  acceptAnything,
  type Check,
  type Field,
  checkFlag,
  checkList,
  checkMap,
  checkNumber,
  checkRecord,
  checkText,
} from './record.ts'

/** The expectations of an export. */
export interface ExportRules {
  /** True: every secret is sealed; false: every secret is in plaintext; absent: either. */
  readonly sealed?: boolean
  /** Whether a service sealed the secrets. */
  readonly hasServiceCiphertext?: boolean
}

/** Returns the errors in the text of an export, one message each; empty when it is valid. */
export function verifyExport(exported: string, rules: ExportRules = {}): string[] {
  let envelope: OrderedJson
  try {
    envelope = parseOrdered(exported)
  } catch (thrown) {
    return [thrown instanceof Error ? thrown.message : String(thrown)]
  }
  const deployment = fieldOf(envelope, 'deployment')
  const check = checkRecord([
    alwaysField('version', checkNumber),
    filledField('features', checkList(checkText())),
    alwaysField('deployment', checkDeployment(rules)),
  ])
  return [
    ...check(envelope, 'envelope'),
    ...(writeOrdered(envelope, '    ', writeStateText) + '\n' === exported
      ? []
      : ['the text is not written as Go writes it']),
    ...checkFeatures(envelope),
    ...checkMagic(deployment),
    ...checkManager(deployment, exported),
    ...checkIntegrity(itemsOf(deployment, 'resources')),
    ...itemsOf(deployment, 'resources').flatMap(checkAliases),
  ]
}

const alwaysField = (name: string, check: Check): Field => ({ name, when: 'always', check })
const filledField = (name: string, check: Check): Field => ({ name, when: 'filled', check })
const optionalField = (name: string, check: Check): Field => ({ name, when: 'nonNull', check })

const urn = checkText(/^urn:pulumi:(?:.*?::){3}/s)
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,8}[1-9])?(?:Z|[+-]\d\d:\d\d)$/
const utcTimestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,8}[1-9])?Z$/
const position = /^project:\/\/\/.*#\d+(?:,\d+)?$/
const base64 = /^[A-Za-z0-9+/]*={0,2}$/

const manifest = checkRecord([
  alwaysField('time', checkText(timestamp)),
  alwaysField('magic', checkText()),
  alwaysField('version', checkText()),
  filledField('plugins', checkList(acceptAnything)),
])

function checkDeployment(rules: ExportRules): Check {
  const resource = checkResource(rules)
  const operation = checkRecord([
    alwaysField('resource', resource),
    alwaysField('type', checkText(/^(?:creating|updating|deleting|reading|importing)$/)),
  ])
  const extension = checkRecord([
    alwaysField('name', checkText()),
    alwaysField('version', checkText()),
    alwaysField('value', checkText(base64)),
  ])
  const deploymentRecord = checkRecord([
    alwaysField('manifest', manifest),
    optionalField(
      'secrets_providers',
      checkRecord([alwaysField('type', checkText()), optionalField('state', acceptAnything)]),
    ),
    filledField('resources', checkList(resource)),
    filledField('pending_operations', checkList(operation)),
    alwaysField('metadata', checkRecord([optionalField('integrity_error', acceptAnything)])),
    filledField('snippets', checkList(acceptAnything)),
    filledField('extensions', checkMap(extension)),
  ])
  return (json, path) =>
    json.kind === 'literal' && json.value === null ? [] : deploymentRecord(json, path)
}

function checkResource(rules: ExportRules): Check {
  const value = checkPropertyValue({ sealed: rules.sealed, isService: rules.hasServiceCiphertext })
  const texts = checkList(checkText())
  const urnsOrNull: Check = (json, path) =>
    json.kind === 'literal' && json.value === null ? [] : checkList(urn)(json, path)
  const timeoutFields = ['create', 'update', 'delete', 'read'].map(name =>
    filledField(name, checkNumber),
  )
  return checkRecord([
    alwaysField('urn', urn),
    alwaysField('custom', checkFlag),
    filledField('delete', checkFlag),
    filledField('id', checkText()),
    alwaysField('type', checkText(/./)),
    filledField('inputs', checkMap(value)),
    filledField('outputs', checkMap(value)),
    filledField('parent', urn),
    filledField('protect', checkFlag),
    filledField('taint', checkFlag),
    filledField('external', checkFlag),
    filledField('dependencies', checkList(urn)),
    filledField('initErrors', texts),
    filledField('provider', checkText(/^urn:pulumi:.*::.+$/s)),
    filledField('propertyDependencies', checkMap(urnsOrNull)),
    filledField('pendingReplacement', checkFlag),
    filledField('additionalSecretOutputs', texts),
    filledField('aliases', checkList(urn)),
    filledField('customTimeouts', checkRecord(timeoutFields)),
    filledField('importID', checkText()),
    filledField('retainOnDelete', checkFlag),
    filledField('deletedWith', urn),
    filledField('replaceWith', checkList(urn)),
    optionalField('created', checkText(utcTimestamp)),
    optionalField('modified', checkText(utcTimestamp)),
    filledField('sourcePosition', checkText(position)),
    filledField(
      'stackTrace',
      checkList(checkRecord([filledField('sourcePosition', checkText(position))])),
    ),
    filledField('ignoreChanges', texts),
    filledField('hideDiff', texts),
    filledField('replaceOnChanges', texts),
    optionalField('replacementTrigger', value),
    filledField('refreshBeforeUpdate', checkFlag),
    filledField('viewOf', urn),
    filledField('resourceHooks', checkMap(texts)),
    filledField('extensionRef', checkText()),
    filledField('snippetID', checkText()),
  ])
}

function checkMagic(deployment: OrderedJson | undefined): readonly string[] {
  const manifestField = fieldOf(deployment, 'manifest')
  const version = textOf(manifestField, 'version') ?? ''
  const magic = version === '' ? '' : createHash('sha256').update(version).digest('hex')
  const isExpected = manifestField === undefined || textOf(manifestField, 'magic') === magic
  return isExpected ? [] : ['the magic of the manifest does not belong to its version']
}

/**
 * Returns errors of the secrets manager. Sealed secrets require a manager, and the salt of a
 * passphrase manager must be well-formed.
 */
function checkManager(deployment: OrderedJson | undefined, exported: string): readonly string[] {
  const manager = fieldOf(deployment, 'secrets_providers')
  if (manager === undefined)
    return exported.includes('"ciphertext": ')
      ? ['secrets are sealed, but no manager is named']
      : []
  if (textOf(manager, 'type') !== 'passphrase') return []
  const salt = textOf(fieldOf(manager, 'state'), 'salt') ?? ''
  const [, bytes, sealedPart] = /^v1:([A-Za-z0-9+/]{11}=):(.*)$/.exec(salt) ?? []
  return bytes !== undefined && isSealed(sealedPart ?? '')
    ? []
    : ['the salt of the manager is malformed']
}

/**
 * Returns an error if aliases are written. The engine resolves aliases before it writes a state.
 */
function checkAliases(resource: OrderedJson): readonly string[] {
  const aliases = fieldOf(resource, 'aliases')
  return aliases === undefined ? [] : [`${textOf(resource, 'urn')}: aliases are written`]
}
