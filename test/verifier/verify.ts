/**
 * test/verifier: an independent judge of exported states. It is written from the published form of
 * Pulumi's states alone and imports nothing of the product, so that a mistake there is not made
 * here a second time.
 */
import { createHash } from 'node:crypto'
import { featuresOf } from './features.ts'
import { integrityOf } from './integrity.ts'
import {
  fieldOf,
  itemsOf,
  type OrderedJson,
  parseOrdered,
  stateText,
  textOf,
  writeOrdered,
} from './ordered-json.ts'
import { isSealed, propertyValue } from './property.ts'
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

/** What is expected of an export. */
export interface ExportRules {
  /** True: every secret is sealed; false: every secret is in clear; absent: either. */
  readonly sealed?: boolean
}

/** What is wrong with the text of an export: one sentence each, none when all is well. */
export function verifyExport(exported: string, rules: ExportRules = {}): string[] {
  let envelope: OrderedJson
  try {
    envelope = parseOrdered(exported)
  } catch (thrown) {
    return [thrown instanceof Error ? thrown.message : String(thrown)]
  }
  const deployment = fieldOf(envelope, 'deployment')
  const check = record([
    always('version', number),
    filled('features', list(text())),
    always('deployment', deploymentOrNull(rules)),
  ])
  return [
    ...check(envelope, 'envelope'),
    ...(writeOrdered(envelope, '    ', stateText) + '\n' === exported
      ? []
      : ['the text is not written as Go writes it']),
    ...featuresOf(envelope),
    ...magicOf(deployment),
    ...managerOf(deployment, exported),
    ...integrityOf(itemsOf(deployment, 'resources')),
    ...itemsOf(deployment, 'resources').flatMap(aliasesOf),
  ]
}

const always = (name: string, check: Check): Field => ({ name, when: 'always', check })
const filled = (name: string, check: Check): Field => ({ name, when: 'filled', check })
const given = (name: string, check: Check): Field => ({ name, when: 'given', check })

const urn = text(/^urn:pulumi:(?:.*?::){3}/s)
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,8}[1-9])?(?:Z|[+-]\d\d:\d\d)$/
const momentUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,8}[1-9])?Z$/
const position = /^project:\/\/\/.*#\d+(?:,\d+)?$/
const base64 = /^[A-Za-z0-9+/]*={0,2}$/

const manifest = record([
  always('time', text(moment)),
  always('magic', text()),
  always('version', text()),
  filled('plugins', list(anything)),
])

function deploymentOrNull(rules: ExportRules): Check {
  const resource = resourceOf(rules)
  const operation = record([
    always('resource', resource),
    always('type', text(/^(?:creating|updating|deleting|reading|importing)$/)),
  ])
  const blob = record([
    always('name', text()),
    always('version', text()),
    always('value', text(base64)),
  ])
  const whole = record([
    always('manifest', manifest),
    given('secrets_providers', record([always('type', text()), given('state', anything)])),
    filled('resources', list(resource)),
    filled('pending_operations', list(operation)),
    always('metadata', record([given('integrity_error', anything)])),
    filled('snippets', list(anything)),
    filled('extensions', map(blob)),
  ])
  return (json, at) => (json.kind === 'literal' && json.value === null ? [] : whole(json, at))
}

function resourceOf(rules: ExportRules): Check {
  const value = propertyValue({ sealed: rules.sealed })
  const texts = list(text())
  const urnsOrNull: Check = (json, at) =>
    json.kind === 'literal' && json.value === null ? [] : list(urn)(json, at)
  const seconds = ['create', 'update', 'delete', 'read'].map(name => filled(name, number))
  return record([
    always('urn', urn),
    always('custom', flag),
    filled('delete', flag),
    filled('id', text()),
    always('type', text(/./)),
    filled('inputs', map(value)),
    filled('outputs', map(value)),
    filled('parent', urn),
    filled('protect', flag),
    filled('taint', flag),
    filled('external', flag),
    filled('dependencies', list(urn)),
    filled('initErrors', texts),
    filled('provider', text(/^urn:pulumi:.*::.+$/s)),
    filled('propertyDependencies', map(urnsOrNull)),
    filled('pendingReplacement', flag),
    filled('additionalSecretOutputs', texts),
    filled('aliases', list(urn)),
    filled('customTimeouts', record(seconds)),
    filled('importID', text()),
    filled('retainOnDelete', flag),
    filled('deletedWith', urn),
    filled('replaceWith', list(urn)),
    given('created', text(momentUtc)),
    given('modified', text(momentUtc)),
    filled('sourcePosition', text(position)),
    filled('stackTrace', list(record([filled('sourcePosition', text(position))]))),
    filled('ignoreChanges', texts),
    filled('hideDiff', texts),
    filled('replaceOnChanges', texts),
    given('replacementTrigger', value),
    filled('refreshBeforeUpdate', flag),
    filled('viewOf', urn),
    filled('resourceHooks', map(texts)),
    filled('extensionRef', text()),
    filled('snippetID', text()),
  ])
}

function magicOf(deployment: OrderedJson | undefined): readonly string[] {
  const written = fieldOf(deployment, 'manifest')
  const version = textOf(written, 'version') ?? ''
  const magic = version === '' ? '' : createHash('sha256').update(version).digest('hex')
  const isRight = written === undefined || textOf(written, 'magic') === magic
  return isRight ? [] : ['the magic of the manifest does not belong to its version']
}

/** Sealed secrets need their manager; that of a passphrase proves the passphrase by its salt. */
function managerOf(deployment: OrderedJson | undefined, exported: string): readonly string[] {
  const manager = fieldOf(deployment, 'secrets_providers')
  if (manager === undefined)
    return exported.includes('"ciphertext": ')
      ? ['secrets are sealed, but no manager is named']
      : []
  if (textOf(manager, 'type') !== 'passphrase') return []
  const salt = textOf(fieldOf(manager, 'state'), 'salt') ?? ''
  const [, bytes, rest] = /^v1:([A-Za-z0-9+/]{11}=):(.*)$/.exec(salt) ?? []
  return bytes !== undefined && isSealed(rest ?? '') ? [] : ['the salt of the manager is malformed']
}

/** Aliases are resolved before a state is written. */
function aliasesOf(resource: OrderedJson): readonly string[] {
  const found = fieldOf(resource, 'aliases')
  return found === undefined ? [] : [`${textOf(resource, 'urn')}: aliases are written`]
}
