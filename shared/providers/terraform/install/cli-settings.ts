import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { domainToASCII } from 'node:url'
import { messageOf } from '../../../errors/error.ts'
import { type HclBlock, type HclBody, type HclValue, parseHcl } from './hcl-document.ts'
import {
  type InstallationMethod,
  readInstallationBlock,
  createSettingsError,
} from './installation-methods.ts'
import { normalizeHostname } from './source-address.ts'

/** The settings of Terraform's and OpenTofu's command lines that concern providers. */
export interface CliSettings {
  /**
   * The methods that the block `provider_installation` names. Undefined without the block: the
   * standard folders are used, and registries for providers that no such folder has.
   */
  readonly methods: readonly InstallationMethod[] | undefined
  /** Full address of a provider → the folder of its executable, from `dev_overrides`. */
  readonly developmentFolders: ReadonlyMap<string, string>
  /** The shared cache of packages, which Antichain only reads. */
  readonly cacheFolder: string | undefined
  /** Host → bearer token. */
  readonly tokens: ReadonlyMap<string, string>
  /**
   * Host → the base address of its provider registry, from a `host` block. The host is then not
   * asked for this address.
   */
  readonly registries: ReadonlyMap<string, string>
  readonly hasCredentialsHelper: boolean
}

/** The user's variables and home folder, and a receiver of messages. */
export interface SettingsDeps {
  readonly env: Readonly<Record<string, string>>
  /** The home folder of the user. */
  readonly home: string
  /** Reports a message to the user. Must not throw. */
  readonly report: (severity: 'info' | 'warning', text: string) => void
}

/**
 * Reads the main settings file, and the settings files in two folders: `~/.terraform.d` and
 * OpenTofu's `~/.config/opentofu`. The variable TF_CLI_CONFIG_FILE or TERRAFORM_CONFIG can name the
 * main file. Otherwise the main file is the first existing one of `~/.tofurc`, `~/.terraformrc` and
 * `tofurc` in OpenTofu's folder. If a variable names the main file, only `credentials.tfrc.json` is
 * read from the folders. If that main file is missing, the user is only warned, as in Terraform.
 * XDG_CONFIG_HOME replaces `~/.config`. Variables win over files.
 * Throws TERRAFORM_SETTINGS_INVALID, TERRAFORM_FILE_INVALID, TERRAFORM_ADDRESS_INVALID and
 * FEATURE_MISSING.
 */
export function readCliSettings(deps: SettingsDeps): CliSettings {
  const { env } = deps
  const parsedFiles = listSettingsFiles(deps).map(file => ({ file, body: readFile(file) }))
  const blocks = parsedFiles.flatMap(({ file, body }) =>
    body.blocks.map(block => ({ file, block })),
  )
  const installations = blocks.filter(({ block }) => block.type === 'provider_installation')
  const [, secondInstallation] = installations
  if (secondInstallation !== undefined)
    throw createSettingsError(secondInstallation.file, "a second 'provider_installation' block")
  const [installation] = installations.map(({ file, block }) => readInstallationBlock(block, file))
  const cacheFolder = parsedFiles
    .map(({ body }) => body.attributes.get('plugin_cache_dir'))
    .findLast(value => typeof value === 'string')
  return {
    methods: installation?.methods,
    developmentFolders: installation?.developmentFolders ?? new Map(),
    cacheFolder: expandFolder(env['TF_PLUGIN_CACHE_DIR'] || cacheFolder, deps),
    tokens: new Map([
      ...blocks.flatMap(({ file, block }) => readCredentials(block, file)),
      ...readTokenVariables(env),
    ]),
    registries: new Map(blocks.flatMap(({ block }) => readServices(block))),
    hasCredentialsHelper: blocks.some(({ block }) => block.type === 'credentials_helper'),
  }
}

function listSettingsFiles({ env, home, report }: SettingsDeps): readonly string[] {
  const configHome = env['XDG_CONFIG_HOME'] || join(home, '.config')
  const folders = [join(home, '.terraform.d'), join(configHome, 'opentofu')]
  const files = folders.flatMap(folder => listNames(folder).map(name => join(folder, name)))
  const chosenFile = env['TF_CLI_CONFIG_FILE'] || env['TERRAFORM_CONFIG'] || ''
  if (chosenFile !== '') {
    const mainFile = resolve(chosenFile)
    const isPresent = existsSync(mainFile)
    if (!isPresent) report('warning', `the settings file ${mainFile} does not exist`)
    // `terraform login` and `tofu login` write tokens into this file.
    const tokenFiles = files.filter(file => basename(file) === 'credentials.tfrc.json')
    return isPresent ? [...tokenFiles, mainFile] : tokenFiles
  }
  const mainFile = [
    join(home, '.tofurc'),
    join(home, '.terraformrc'),
    join(configHome, 'opentofu', 'tofurc'),
  ].find(file => existsSync(file))
  return mainFile === undefined ? files : [mainFile, ...files]
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter(name => /\.tfrc(?:\.json)?$/.test(name))
      .toSorted()
  } catch {
    return []
  }
}

function readFile(file: string): HclBody {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (thrown) {
    throw createSettingsError(file, `cannot read it: ${messageOf(thrown)}`)
  }
  return parseHcl(text, file)
}

function readCredentials(block: HclBlock, file: string): readonly (readonly [string, string])[] {
  if (block.type !== 'credentials') return []
  return groupBodiesByHost(block).flatMap(([host, { attributes }]) => {
    const hostname = normalizeHostname(host)
    if (hostname === undefined)
      throw createSettingsError(file, `'${host}' is not a host for credentials`)
    const token = attributes.get('token')
    return typeof token === 'string' ? [[hostname, token] as const] : []
  })
}

/** Returns the body of each host. In the JSON form, a host is the type of an inner block. */
function groupBodiesByHost({ labels, body }: HclBlock): readonly (readonly [string, HclBody])[] {
  const [label] = labels
  return label === undefined ? body.blocks.map(inner => [inner.type, inner.body]) : [[label, body]]
}

/** Reads variables such as TF_TOKEN_my__app_example_com, the token for my-app.example.com. */
function readTokenVariables(env: SettingsDeps['env']): readonly (readonly [string, string])[] {
  return Object.entries(env).flatMap(([name, token]) => {
    const [, encoded] = /^TF_TOKEN_(.+)$/.exec(name) ?? []
    if (encoded === undefined || token === '') return []
    return [[domainToASCII(encoded.replaceAll('__', '-').replaceAll('_', '.')), token] as const]
  })
}

function readServices(block: HclBlock): readonly (readonly [string, string])[] {
  if (block.type !== 'host') return []
  return groupBodiesByHost(block).flatMap(([host, { attributes, blocks }]) => {
    const servicesBlock = blocks.find(({ type }) => type === 'services')
    const services = servicesBlock?.body.attributes ?? toMap(attributes.get('services'))
    const hostname = normalizeHostname(host)
    const url = services.get('providers.v1')
    return hostname !== undefined && typeof url === 'string' ? [[hostname, url] as const] : []
  })
}

function toMap(value: HclValue | undefined): ReadonlyMap<string, HclValue> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return new Map(isObject ? Object.entries(value) : [])
}

function expandFolder(folder: string | undefined, { env, home }: SettingsDeps): string | undefined {
  if (folder === undefined || folder === '') return undefined
  const variables = new Map(Object.entries({ HOME: home, ...env }))
  return folder
    .replace(/^~(?=\/|$)/, home)
    .replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, plain?: string) => {
      return variables.get(braced ?? plain ?? '') ?? ''
    })
}
