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
  anything,
  type Check,
  type Field,
  flag,
  list,
  map,
  number,
  record,
  text,
} from './record.ts'

/** The expectations of an export. */
export interface ExportRules {
  /** True: every secret is sealed; false: every secret is in plaintext; absent: either. */
  readonly sealed?: boolean
  /** Whether a service sealed the secrets. */
  readonly isService?: boolean
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
  const check = record([
    alwaysField('version', number),
    filledField('features', list(text())),
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

const urn = text(/^urn:pulumi:(?:.*?::){3}/s)
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,8}[1-9])?(?:Z|[+-]\d\d:\d\d)$/
const utcTimestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,8}[1-9])?Z$/
const position = /^project:\/\/\/.*#\d+(?:,\d+)?$/
const base64 = /^[A-Za-z0-9+/]*={0,2}$/

const manifest = record([
  alwaysField('time', text(timestamp)),
  alwaysField('magic', text()),
  alwaysField('version', text()),
  filledField('plugins', list(anything)),
])

function checkDeployment(rules: ExportRules): Check {
  const resource = checkResource(rules)
  const operation = record([
    alwaysField('resource', resource),
    alwaysField('type', text(/^(?:creating|updating|deleting|reading|importing)$/)),
  ])
  const extension = record([
    alwaysField('name', text()),
    alwaysField('version', text()),
    alwaysField('value', text(base64)),
  ])
  const deploymentRecord = record([
    alwaysField('manifest', manifest),
    optionalField(
      'secrets_providers',
      record([alwaysField('type', text()), optionalField('state', anything)]),
    ),
    filledField('resources', list(resource)),
    filledField('pending_operations', list(operation)),
    alwaysField('metadata', record([optionalField('integrity_error', anything)])),
    filledField('snippets', list(anything)),
    filledField('extensions', map(extension)),
  ])
  return (json, path) =>
    json.kind === 'literal' && json.value === null ? [] : deploymentRecord(json, path)
}

function checkResource(rules: ExportRules): Check {
  const value = checkPropertyValue({ sealed: rules.sealed, isService: rules.isService })
  const texts = list(text())
  const urnsOrNull: Check = (json, path) =>
    json.kind === 'literal' && json.value === null ? [] : list(urn)(json, path)
  const timeoutFields = ['create', 'update', 'delete', 'read'].map(name =>
    filledField(name, number),
  )
  return record([
    alwaysField('urn', urn),
    alwaysField('custom', flag),
    filledField('delete', flag),
    filledField('id', text()),
    alwaysField('type', text(/./)),
    filledField('inputs', map(value)),
    filledField('outputs', map(value)),
    filledField('parent', urn),
    filledField('protect', flag),
    filledField('taint', flag),
    filledField('external', flag),
    filledField('dependencies', list(urn)),
    filledField('initErrors', texts),
    filledField('provider', text(/^urn:pulumi:.*::.+$/s)),
    filledField('propertyDependencies', map(urnsOrNull)),
    filledField('pendingReplacement', flag),
    filledField('additionalSecretOutputs', texts),
    filledField('aliases', list(urn)),
    filledField('customTimeouts', record(timeoutFields)),
    filledField('importID', text()),
    filledField('retainOnDelete', flag),
    filledField('deletedWith', urn),
    filledField('replaceWith', list(urn)),
    optionalField('created', text(utcTimestamp)),
    optionalField('modified', text(utcTimestamp)),
    filledField('sourcePosition', text(position)),
    filledField('stackTrace', list(record([filledField('sourcePosition', text(position))]))),
    filledField('ignoreChanges', texts),
    filledField('hideDiff', texts),
    filledField('replaceOnChanges', texts),
    optionalField('replacementTrigger', value),
    filledField('refreshBeforeUpdate', flag),
    filledField('viewOf', urn),
    filledField('resourceHooks', map(texts)),
    filledField('extensionRef', text()),
    filledField('snippetID', text()),
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
