import { basename, resolve } from 'node:path'
import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { parseConfigEditKey } from '../config/edit-config.ts'
import { formatTable } from '../display/table.ts'
import { requireProjectName, toProjectName } from '../project/project-name.ts'
import { createCliSession, type CliSession, requireConfirmable } from '../session/session.ts'
import { builtInTemplates } from '../templates/built-in-templates.ts'
import { fillTemplate, type TemplateValue } from '../templates/fill-template.ts'
import { openTemplate } from '../templates/open-template.ts'
import { writeOutputFile } from '../project/output-file.ts'
import { requireEmptyFolder } from '../templates/require-empty-folder.ts'
import { setAllConfig } from './config-set-all.ts'
import { installProject } from './install.ts'
import { initStack } from './stack-init.ts'

/**
 * `new`: creates a project from a template of this package or of a folder. Unless --generate-only
 * is set, it also creates a stack with its configuration, and installs dependencies. Writing the
 * files needs no network. Throws CLI_USAGE, and the errors of `stack init`, `config set-all` and
 * `install`.
 */
export const createProject: Handler = async (session, flags, [operand]) => {
  if (flags.isSet('listTemplates')) {
    const rows = builtInTemplates.map(({ name, description }) => [name, description])
    for (const line of formatTable(['NAME', 'DESCRIPTION'], rows)) session.print(line)
    return 0
  }
  requireConfirmable(session, flags.isSet('yes'))
  const template = await openTemplate(
    operand ?? (await promptForTemplate(session, flags)),
    session,
    {
      builtIn: builtInTemplates,
      projectFile: 'Pulumi.yaml',
    },
  )
  const folder = resolve(session.cwd, flags.text('dir') ?? '.')
  if (!flags.isSet('force')) requireEmptyFolder(folder)
  const ask = createAsker(session, flags)
  const name = requireProjectName(
    flags.text('name') ?? (await ask('Name of the project', toProjectName(basename(folder)))),
  )
  const description = flags.text('description') ?? (await ask('Description', template.description))
  const { files, values } = fillTemplate(template, { name, description })
  for (const [path, file] of files) writeOutputFile(folder, path, file)
  session.print(`Created project '${name}' in ${folder}.`)
  if (flags.isSet('generateOnly')) return 0
  await prepareProject(session, flags, { folder, project: name, values })
  session.print('\nNext step: antichain up')
  return 0
}

async function promptForTemplate(session: CliSession, flags: Flags): Promise<string> {
  const names = builtInTemplates.map(({ name }) => name).join(', ')
  if (flags.isSet('yes') || !session.mayPrompt)
    throw createError('CLI_USAGE', 'the template is missing: pass its name or a folder', {
      hint: `Use ${names}, or a folder.`,
    })
  return (await session.io.prompt(`Template (${names}):`)).trim()
}

/** Creates a function that asks for a text. With --yes it returns the default. */
function createAsker(session: CliSession, flags: Flags) {
  return async (question: string, defaultText: string): Promise<string> => {
    if (flags.isSet('yes')) return defaultText
    const suffix = defaultText === '' ? '' : ` (${defaultText})`
    return (await session.io.prompt(`${question}${suffix}:`)).trim() || defaultText
  }
}

/** Creates the stack and its configuration, and installs the dependencies. */
async function prepareProject(
  session: CliSession,
  flags: Flags,
  {
    folder,
    project,
    values,
  }: {
    readonly folder: string
    readonly project: string
    readonly values: readonly TemplateValue[]
  },
): Promise<void> {
  const ask = createAsker(session, flags)
  const stack = flags.text('stack') ?? (await ask('Name of the stack', 'dev'))
  const pairs = await readConfigPairs(session, flags, { project, values })
  const projectSession = createCliSession(session.io, session.tools, {
    cwd: folder,
    stack,
    color: 'auto',
    verbose: session.verbose,
    nonInteractive: !session.mayPrompt,
  })
  try {
    // `stack init` gets the options of `new` that have a value, such as --secrets-provider, and
    // selects the stack. The switches of `new` do not concern it.
    const stackFlags = { ...flags, isSet: (name: string) => name === 'select' }
    await initStack(projectSession, stackFlags, [stack])
    if (pairs.plaintext.length + pairs.secret.length > 0)
      await setAllConfig(projectSession, createConfigFlags(flags, pairs), [])
    await installProject(projectSession, defaultInstallFlags, [])
  } finally {
    await projectSession.close()
  }
}

/** The flags of `install` with their defaults. */
export const defaultInstallFlags: Flags = {
  isSet: name => ['dependencies', 'plugins'].includes(name),
  text: () => undefined,
  list: () => [],
}

interface ConfigPairs {
  readonly plaintext: readonly string[]
  readonly secret: readonly string[]
}

/**
 * Returns the values of --config, and those that the template asks for. Keys without a namespace
 * have that of the project. Throws CONFIG_INVALID.
 */
async function readConfigPairs(
  session: CliSession,
  flags: Flags,
  { project, values }: { readonly project: string; readonly values: readonly TemplateValue[] },
): Promise<ConfigPairs> {
  const presetPairs = flags.list('config')
  const toFullKey = (text: string, isPath: boolean): string =>
    parseConfigEditKey(text, project, isPath).fullKey
  const fullKeyOf = (pair: string): string =>
    toFullKey(pair.split('=', 1)[0] ?? '', flags.isSet('configPath'))
  const presetKeys = new Set(presetPairs.map(fullKeyOf))
  const secretKeys = new Set(
    values.filter(({ isSecret }) => isSecret).map(({ key }) => toFullKey(key, false)),
  )
  const plaintext = presetPairs.filter(pair => !secretKeys.has(fullKeyOf(pair)))
  const secret = presetPairs.filter(pair => secretKeys.has(fullKeyOf(pair)))
  for (const { key, description, defaultText, isSecret } of values) {
    if (presetKeys.has(toFullKey(key, false))) continue
    const ask = createAsker(session, flags)
    const question = description === '' ? key : `${key}: ${description}`
    const text =
      isSecret && !flags.isSet('yes')
        ? await session.io.promptHidden(`${question}:`)
        : await ask(question, defaultText)
    if (text !== '') (isSecret ? secret : plaintext).push(`${key}=${text}`)
  }
  return { plaintext, secret }
}

function createConfigFlags(flags: Flags, pairs: ConfigPairs): Flags {
  return {
    isSet: name => name === 'path' && flags.isSet('configPath'),
    text: () => undefined,
    list: name => (name === 'secret' ? pairs.secret : name === 'plaintext' ? pairs.plaintext : []),
  }
}
