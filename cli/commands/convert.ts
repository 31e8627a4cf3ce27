import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { createError } from '../../shared/errors/error.ts'
import type { Flags } from '../arguments/flags.ts'
import type { Handler } from '../arguments/handler.ts'
import { copyFiles } from '../project/copy-files.ts'
import {
  type LanguageHostServices,
  refuseErrorDiagnostics,
  withLanguageHosts,
} from '../project/generate-program.ts'
import { generateProject } from '../project/generate-project.ts'
import { requireProjectName } from '../project/project-name.ts'
import { addConvertedPackages, convertTerraform } from '../project/convert-terraform.ts'
import { convertWithConverterPlugin, hasConverter } from '../project/convert-with-plugin.ts'
import { createCliSession, type CliSession } from '../session/session.ts'
import type { PackageOperands } from '../packages/load-package-schema.ts'
import { installProject } from './install.ts'
import { defaultInstallFlags } from './new.ts'

/** The runtime of each language, except for languages that have the name of their runtime. */
const runtimesByLanguage: ReadonlyMap<string, string> = new Map([
  ['typescript', 'nodejs'],
  ['javascript', 'nodejs'],
  ['csharp', 'dotnet'],
  ['fsharp', 'dotnet'],
  ['pulumi', 'pcl'],
])

/**
 * `convert`: translates the program of the current folder into another language. A plugin
 * `pulumi-converter-<name>` reads the program, and the host of the language writes the project. A
 * program of Terraform needs no plugin. Throws CLI_USAGE, PLUGIN_MISSING, RUNTIME_UNKNOWN,
 * CODE_GENERATION_FAILED, TERRAFORM_*.
 */
export const convertProgram: Handler = async (session, flags, args) => {
  const language = flags.text('language')
  if (language === undefined)
    throw createError('CLI_USAGE', 'the target language is missing', {
      hint: 'Pass --language with typescript, python, go, csharp, java, yaml or pcl.',
    })
  const from = readConverterName(flags)
  const runtime = runtimesByLanguage.get(language) ?? language
  const targetFolder = resolve(session.cwd, flags.text('out') ?? '.')
  const name = readProjectName(session, flags)
  if (runtime === 'pcl') refuseStrict(flags)
  const pclFolder = from === 'pcl' ? session.cwd : mkdtempSync(join(tmpdir(), 'antichain-convert-'))
  try {
    await withLanguageHosts(session, async deps => {
      const packages =
        from === 'pcl'
          ? []
          : await convertToPcl(session, deps, { from, args, pclFolder, targetFolder, runtime })
      mkdirSync(targetFolder, { recursive: true })
      session.printToStderr(`Converting to ${language}...`)
      if (runtime === 'pcl') copyFiles(pclFolder, targetFolder)
      else
        await generateProject(
          deps,
          {
            runtime,
            sourceFolder: pclFolder,
            targetFolder,
            name,
            isStrict: flags.isSet('strict'),
          },
          deps.onLine,
        )
      if (runtime !== 'pcl')
        await withTargetSession(session, targetFolder, target =>
          addConvertedPackages(target, packages),
        )
    })
  } finally {
    if (from !== 'pcl') rmSync(pclFolder, { recursive: true, force: true })
  }
  if (runtime !== 'pcl' && !flags.isSet('generateOnly'))
    await installDependencies(session, targetFolder)
  session.printToStderr(`Wrote the program to ${targetFolder}.`)
  return 0
}

/** Returns the name of the converter. */
function readConverterName(flags: Flags): string {
  const from = (flags.text('from') ?? 'yaml').toLowerCase()
  return from === 'tf' ? 'terraform' : from
}

/** Returns the name of the new project: that of the option, or else that of the folder. */
function readProjectName(session: CliSession, flags: Flags): string {
  const name = flags.text('name') ?? ''
  return name === '' ? basename(session.cwd) : requireProjectName(name)
}

/** Refuses --strict with --language pcl, because only the host of a target language applies it. */
function refuseStrict(flags: Flags): void {
  if (!flags.isSet('strict')) return
  throw createError('CLI_USAGE', '--strict has no effect with --language pcl', {
    hint: 'Omit --strict, or convert the program to another language.',
  })
}

/**
 * Converts the program of the current folder to Pulumi's configuration language, and writes the
 * result into a folder. Returns the packages of Terraform providers that the new project needs.
 */
async function convertToPcl(
  session: CliSession,
  deps: LanguageHostServices,
  request: {
    readonly from: string
    readonly args: readonly string[]
    readonly pclFolder: string
    readonly targetFolder: string
    /** The runtime of the new program, such as `yaml`. */
    readonly runtime: string
  },
): Promise<readonly PackageOperands[]> {
  const { from, args, pclFolder, targetFolder, runtime } = request
  session.printToStderr(`Converting from ${from}...`)
  if (from === 'terraform' && !hasConverter(from, deps.env)) {
    if (args.length > 0)
      throw createError(
        'CLI_USAGE',
        `the converter of Terraform has no arguments: ${args.join(' ')}`,
      )
    return convertTerraform(session, { pclFolder, runtime })
  }
  const address = deps.engineAddress()
  const diagnostics = await convertWithConverterPlugin(deps, from, {
    sourceDirectory: session.cwd,
    targetDirectory: pclFolder,
    args: [...args],
    mapperTarget: address,
    loaderTarget: address,
    generatedProjectDirectory: targetFolder,
  })
  refuseErrorDiagnostics(diagnostics, `the converter '${from}'`)
  for (const { summary, detail } of diagnostics)
    session.printToStderr(`warning: ${summary}${detail === '' ? '' : `: ${detail}`}`)
  return []
}

/** Installs the dependencies of the new project. */
async function installDependencies(session: CliSession, folder: string): Promise<void> {
  await withTargetSession(session, folder, target =>
    installProject(target, defaultInstallFlags, []),
  )
}

/** Runs a function with a session in the folder of the new project. */
async function withTargetSession(
  session: CliSession,
  folder: string,
  use: (target: CliSession) => Promise<unknown>,
): Promise<void> {
  const target = createCliSession(session.io, session.tools, {
    cwd: folder,
    color: 'auto',
    verbose: session.verbose,
    nonInteractive: !session.mayPrompt,
  })
  try {
    await use(target)
  } finally {
    await target.close()
  }
}
