import { isUtf8 } from 'node:buffer'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import { isAlias, isMap, isNode, isScalar, Pair, Scalar, YAMLMap } from 'yaml'
import type { Document, Node } from 'yaml'
import { createError, messageOf } from '../../errors/error.ts'
import { parseConfigKey, formatConfigKey } from './config-key.ts'
import {
  isSecure,
  isTreeList,
  isTreeMap,
  toConfigTree,
  toStoredConfigValue,
  type ConfigTree,
  type ConfigScalar,
  type StoredConfigValue,
} from './config-tree.ts'
import type { EnvironmentValue } from '../environments/environment-value.ts'
import { readStackEnvironment } from '../environments/read-environment.ts'
import { keepIntegerDigits, openYaml, type YamlSource } from '../project/yaml-source.ts'
import { systemCodeOf } from '../../errors/system-code.ts'

/** The secrets settings of a stack file. '' means that a setting is missing. */
export interface StackSecrets {
  /** The field `secretsprovider`: '', `default`, `passphrase`, or the URL of a key or service. */
  readonly provider: string
  readonly encryptedKey: string
  readonly encryptionSalt: string
}

/** An open stack file. Edits keep the comments and order of the parts that they do not change. */
export interface StackConfig {
  readonly path: string
  readonly getSecretsSettings: () => StackSecrets
  /** `ns:name` → value, in the order of the file. */
  readonly getValues: () => ReadonlyMap<string, StoredConfigValue>
  /** Sets a value. A scalar keeps its type in the file, although it is read as a text. */
  readonly set: (key: string, value: StoredConfigValue | ConfigScalar) => void
  /** Removes a key. Returns false when it does not exist. */
  readonly remove: (key: string) => boolean
  /** Sets the salt of a passphrase. Removes the fields of an external key. */
  readonly setSalt: (salt: string) => void
  /** Sets the external key and the data key that it has encrypted. Removes the salt. */
  readonly setKey: (provider: string, encryptedKey: string) => void
  /**
   * Sets the field `secretsprovider` to the URL of a service, which keeps the key of the secrets.
   * The URL names a stack of the service. With '', only the state contains the URL, as in Pulumi.
   * Removes the fields of other managers.
   */
  readonly setService: (provider: string) => void
  /**
   * Evaluates the field `environment`, which names files below `environments/` in the project's
   * folder. Throws CONFIG_INVALID and FEATURE_MISSING.
   */
  readonly readEnvironment: (projectFolder: string) => EnvironmentValue
  /** Returns the names in `environment`. Throws CONFIG_INVALID when it is not a list of names. */
  readonly getEnvironmentNames: () => readonly string[]
  readonly setEnvironmentNames: (names: readonly string[]) => void
  /** Returns the text of the file after the edits. */
  readonly format: () => string
}

/** Reads a stack file; a missing one is empty. Throws CONFIG_INVALID. */
export function readStackConfig(file: string, project: string): StackConfig {
  let bytes: Buffer = Buffer.alloc(0)
  try {
    bytes = readFileSync(file)
  } catch (cause) {
    if (systemCodeOf(cause) !== 'ENOENT')
      throw createError('CONFIG_INVALID', `cannot read ${file}: ${messageOf(cause)}`, { cause })
  }
  // The file is refused, because a later write would replace its invalid bytes.
  if (!isUtf8(bytes)) throw createError('CONFIG_INVALID', `${file} is not valid UTF-8`)
  return openStackConfig(bytes.toString('utf8'), file, project)
}

/**
 * Writes a stack file atomically. Follows links, and keeps the mode of the file, as Pulumi does.
 * Throws FILE_UNWRITABLE.
 */
export function writeStackConfig(config: StackConfig): void {
  try {
    mkdirSync(dirname(config.path), { recursive: true })
    replaceFile(targetOfLinks(config.path), config.format())
  } catch (cause) {
    throw createError('FILE_UNWRITABLE', `cannot write ${config.path}: ${messageOf(cause)}`, {
      cause,
    })
  }
}

/** Returns the path of the file to which a path leads, although the file may not exist. */
function targetOfLinks(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return path
  return targetOfLinks(resolve(realpathSync(dirname(path)), readlinkSync(path)))
}

function replaceFile(file: string, text: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode
  const temporaryFile = `${file}.${process.pid}.tmp`
  try {
    writeFileSync(temporaryFile, text, { mode })
    // The umask of the process has reduced the mode of the new file.
    if (mode !== undefined) chmodSync(temporaryFile, mode)
    renameSync(temporaryFile, file)
  } catch (thrown) {
    rmSync(temporaryFile, { force: true })
    throw thrown
  }
}

/**
 * Opens the text of a stack file (docs/spec/configuration.md#stack-file). Throws CONFIG_INVALID
 * with file, line and column.
 */
export function openStackConfig(text: string, file: string, project: string): StackConfig {
  const source = openYaml(text, file, 'CONFIG_INVALID')
  const { document } = source
  const entries = readConfigEntries(source, project)
  const spellingOf = (key: string): string => entries.get(key)?.spelling ?? key
  const readField = (name: string): string => readTextField(source, name)
  // An invalid field is reported when the file is opened, not when the field is first used.
  for (const name of ['secretsprovider', 'encryptedkey', 'encryptionsalt']) readField(name)
  return {
    path: file,
    getSecretsSettings: () => ({
      provider: readField('secretsprovider'),
      encryptedKey: readField('encryptedkey'),
      encryptionSalt: readField('encryptionsalt'),
    }),
    getValues: () => new Map([...entries].map(([key, entry]) => [key, entry.value])),
    set: (key, value) => {
      setConfigNode(document, spellingOf(key), value)
      entries.set(key, { spelling: spellingOf(key), value: toStoredConfigValue(value) })
    },
    remove: key => {
      const config: unknown = document.get('config', true)
      if (isMap(config)) {
        config.delete(findKeyNode(document, config, spellingOf(key)))
        if (config.items.length === 0) document.delete('config')
      }
      return entries.delete(key)
    },
    setSalt: salt => {
      setField(document, 'encryptionsalt', salt)
      for (const name of ['secretsprovider', 'encryptedkey']) document.delete(name)
    },
    setKey: (provider, encryptedKey) => {
      setField(document, 'encryptedkey', encryptedKey)
      setField(document, 'secretsprovider', provider)
      document.delete('encryptionsalt')
    },
    setService: provider => {
      for (const name of ['secretsprovider', 'encryptedkey', 'encryptionsalt'])
        if (document.has(name)) document.delete(name)
      if (provider !== '') setField(document, 'secretsprovider', provider)
    },
    readEnvironment: projectFolder =>
      readStackEnvironment(source, readEnvironmentField(document), projectFolder),
    getEnvironmentNames: () => readEnvironmentNames(source),
    setEnvironmentNames: names => {
      if (names.length === 0) document.delete('environment')
      else document.set('environment', document.createNode(names))
    },
    format: () => formatDocument(document, file),
  }
}

/** Returns the plain data of `environment`, with maps as `Map`. */
function readEnvironmentField(document: Document): unknown {
  if (!document.has('environment')) return undefined
  const content: unknown = document.toJS({ mapAsMap: true })
  return content instanceof Map ? content.get('environment') : undefined
}

function readEnvironmentNames(source: YamlSource): readonly string[] {
  const names: unknown = readEnvironmentField(source.document) ?? []
  if (Array.isArray(names) && names.every(name => typeof name === 'string')) return names
  throw source.errorAt(['environment'], '`environment` is not a list of names; edit it in the file')
}

interface ConfigFileEntry {
  /** The key as the file spells it. */
  readonly spelling: string
  readonly value: StoredConfigValue
}

function readConfigEntries(source: YamlSource, project: string): Map<string, ConfigFileEntry> {
  const fileTree = toConfigTree(source.document.toJS({ mapAsMap: true }))
  const config = isTreeMap(fileTree) ? fileTree.get('config') : undefined
  const entries = new Map<string, ConfigFileEntry>()
  if (config === undefined || config === null) return entries
  if (!isTreeMap(config)) throw source.errorAt(['config'], '`config` must be a map')
  for (const [spelling, tree] of config) {
    const key = readKey(source, spelling, project)
    if (entries.has(key))
      throw source.errorAt(['config', spelling], `the key '${key}' is defined twice`)
    entries.set(key, { spelling, value: toStoredConfigValue(tree) })
  }
  return entries
}

function readKey(source: YamlSource, spelling: string, project: string): string {
  try {
    return formatConfigKey(parseConfigKey(spelling, project))
  } catch (cause) {
    throw source.errorAt(['config', spelling], messageOf(cause))
  }
}

function readTextField(source: YamlSource, name: string): string {
  const value: unknown = source.document.get(name)
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw source.errorAt([name], `\`${name}\` must be a string`)
  return value
}

function setConfigNode(document: Document, key: string, value: ConfigTree): void {
  const newNode = createNode(document, value)
  const config: unknown = document.get('config', true)
  if (!isMap(config)) {
    const map = new YAMLMap(document.schema)
    map.items.push(new Pair(document.createNode(key), newNode))
    document.set('config', map)
    return
  }
  const keyNode = findKeyNode(document, config, key) ?? document.createNode(key)
  const oldNode: unknown = config.get(keyNode, true)
  if (isNode(oldNode)) copyComments(oldNode, newNode)
  config.set(keyNode, newNode)
}

/** Returns the node of a key by its text. The key may also be a number, a boolean or an alias. */
function findKeyNode(document: Document, map: YAMLMap, key: string): unknown {
  const hasText = (node: unknown): boolean => isScalar(node) && String(node.value) === key
  return map.items
    .map(pair => pair.key)
    .find(node => hasText(isAlias(node) ? node.resolve(document) : node))
}

function copyComments(oldNode: Node, newNode: Node): void {
  if (oldNode.comment !== undefined) newNode.comment = oldNode.comment
  if (oldNode.commentBefore !== undefined) newNode.commentBefore = oldNode.commentBefore
}

function createNode(document: Document, value: ConfigTree): Node {
  if (typeof value === 'string' && value.includes('\n')) return new Scalar(value)
  return document.createNode(toPlain(value))
}

function toPlain(tree: ConfigTree): unknown {
  if (isSecure(tree)) return { secure: tree.ciphertext }
  if (isTreeList(tree)) return tree.map(toPlain)
  if (isTreeMap(tree)) return new Map([...tree].map(([key, item]) => [key, toPlain(item)]))
  return tree
}

/** Sets a field of the file. A new field becomes the first one. */
function setField(document: Document, name: string, value: string): void {
  if (document.has(name)) {
    document.set(name, value)
    return
  }
  const { contents } = document
  const pair = new Pair(document.createNode(name), document.createNode(value))
  if (isMap(contents)) contents.items.unshift(pair)
  else document.set(name, value)
}

function formatDocument(document: Document, file: string): string {
  if (extname(file) === '.json') return `${JSON.stringify(document.toJS(), keepIntegerDigits, 4)}\n`
  if (document.contents === null) return '{}\n'
  return document.toString({ lineWidth: 0, indent: 2, flowCollectionPadding: true })
}
