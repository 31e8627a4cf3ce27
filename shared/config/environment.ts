import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Every environment variable that we read, and what for. Pulumi's mean what they mean there. */
const environmentVariables = {
  ANTICHAIN_HOME: 'Folder of stacks and their states; ~/.antichain by default.',
  PULUMI_HOME: 'Folder of the plugin cache; ~/.pulumi by default.',
  PULUMI_CONFIG_PASSPHRASE: 'Passphrase of secrets; may be empty.',
  PULUMI_CONFIG_PASSPHRASE_FILE: 'File whose content is the passphrase.',
  PULUMI_STACK: 'The stack, when no option names one.',
  PULUMI_IGNORE_AMBIENT_PLUGINS: 'When true, plugins on PATH are not used.',
  PULUMI_ENABLE_STREAMING_JSON_PREVIEW: 'When true, `preview --json` prints events.',
  NO_COLOR: 'When set, even to nothing, output has no colours.',
  PATH: 'Where programs and plugins are looked for.',
} as const satisfies Record<string, string>

type Variable = keyof typeof environmentVariables

/** The environment as we understand it. A field is absent when its variable is not set. */
export interface Environment {
  /** Absolute. */
  readonly home: string
  /** Absolute. */
  readonly pulumiHome: string
  /** '' is a passphrase too. */
  readonly passphrase?: string
  readonly passphraseFile?: string
  readonly stack?: string
  readonly ignoreAmbientPlugins: boolean
  readonly streamingJsonPreview: boolean
  readonly noColor: boolean
  /** Folders, in order. */
  readonly path: readonly string[]
}

/** Reads the environment; the only place that knows the names. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const given = (name: Variable): string => env[name] ?? ''
  const passphrase = env['PULUMI_CONFIG_PASSPHRASE' satisfies Variable]
  const passphraseFile = given('PULUMI_CONFIG_PASSPHRASE_FILE')
  const stack = given('PULUMI_STACK')
  return {
    home: folderOf(given('ANTICHAIN_HOME'), '.antichain'),
    pulumiHome: folderOf(given('PULUMI_HOME'), '.pulumi'),
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(passphraseFile === '' ? {} : { passphraseFile }),
    ...(stack === '' ? {} : { stack }),
    ignoreAmbientPlugins: isTrue(given('PULUMI_IGNORE_AMBIENT_PLUGINS')),
    streamingJsonPreview: isTrue(given('PULUMI_ENABLE_STREAMING_JSON_PREVIEW')),
    noColor: env['NO_COLOR' satisfies Variable] !== undefined,
    path: given('PATH')
      .split(':')
      .filter(folder => folder !== ''),
  }
}

/** Pulumi's notion of a set flag: `1` or `true` in any case. */
function isTrue(text: string): boolean {
  return text === '1' || text.toLowerCase() === 'true'
}

function folderOf(given: string, inHome: string): string {
  return given === '' ? join(homedir(), inHome) : resolve(given)
}
