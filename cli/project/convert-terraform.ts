import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programLimits } from '../../shared/config/program-limits.ts'
import { createError, messageOf } from '../../shared/errors/error.ts'
import type { ConversionNote } from '../../shared/providers/terraform/convert/terraform-program.ts'
import {
  type ConvertedProgram,
  convertTerraformProgram,
} from '../../shared/providers/terraform/convert/convert-program.ts'
import {
  type ProgramFile,
  readTerraformProgram,
} from '../../shared/providers/terraform/convert/read-program.ts'
import { terraformPlugin } from '../../shared/providers/terraform/terraform-plugins.ts'
import { addToProject } from '../packages/add-to-project.ts'
import { loadPackageSchema, type PackageOperands } from '../packages/load-package-schema.ts'
import type { CliSession } from '../session/session.ts'
import { loadConversionPackages } from './load-conversion-packages.ts'

/**
 * Converts the Terraform program of the current folder to Pulumi's configuration language, and
 * writes the result into a folder. Prints the parts that were not converted. Returns the packages
 * of the program's providers. Throws CLI_USAGE, TERRAFORM_FILE_INVALID and the errors of providers,
 * before it writes.
 */
export async function convertTerraform(
  session: CliSession,
  { pclFolder, runtime }: { readonly pclFolder: string; readonly runtime: string },
): Promise<readonly PackageOperands[]> {
  const program = readTerraformProgram(readProgramFiles(session.cwd))
  const packages = await loadConversionPackages(session, program.requiredProviders)
  const dialect = runtime === 'yaml' ? 'reduced' : 'full'
  const convert = (usesStandardPackage: boolean): ConvertedProgram =>
    convertTerraformProgram(program, packages, { dialect, usesStandardPackage })
  const convertedProgram = convert(true)
  // The host of the new language needs the schema of each package that the program uses.
  const isUsable =
    !convertedProgram.needsStandardPackage ||
    runtime === 'pcl' ||
    (await hasStandardPackage(session))
  const { text, notes } = isUsable ? convertedProgram : convert(false)
  writeFileSync(join(pclFolder, 'main.pp'), text)
  for (const note of notes) session.printToStderr(`warning: ${formatNote(note)}`)
  return [...packages.values()].map(({ pkg }) => ({
    plugin: terraformPlugin,
    args: [pkg.source, pkg.version],
  }))
}

/** Reports whether the plugin of the package `std` is installed, or could be installed now. */
async function hasStandardPackage(session: CliSession): Promise<boolean> {
  try {
    await loadPackageSchema(session, { plugin: 'std', args: [] })
    return true
  } catch (thrown) {
    const problem = "most functions of Terraform need Pulumi's package std, which cannot be loaded"
    const advice = 'Run `antichain plugin install resource std`, and convert the program again.'
    session.printToStderr(`warning: ${problem}: ${messageOf(thrown)}. ${advice}`)
    return false
  }
}

/** Generates the SDKs of the packages in the new project. */
export async function addConvertedPackages(
  target: CliSession,
  packages: readonly PackageOperands[],
): Promise<void> {
  for (const operands of packages) await addToProject(target, operands)
}

function readProgramFiles(folder: string): readonly ProgramFile[] {
  const names = readdirSync(folder)
    .filter(name => !name.startsWith('.'))
    .toSorted()
  const programNames = names.filter(name => /\.tf(?:\.json)?$/.test(name))
  if (programNames.length === 0)
    throw createError('CLI_USAGE', `no program of Terraform (*.tf, *.tf.json) in ${folder}`, {
      hint: 'Run the command in the folder of the program, or pass the folder with -C.',
    })
  // Of several values of a variable, the last one counts.
  const valueNames = [
    ...names.filter(name => /^terraform\.tfvars(?:\.json)?$/.test(name)),
    ...names.filter(name => /\.auto\.tfvars(?:\.json)?$/.test(name)),
  ]
  let bytes = 0
  return [...programNames, ...valueNames].map(name => {
    bytes += statSync(join(folder, name)).size
    if (bytes > programLimits.terraformProgramBytesMax)
      throw createError(
        'TERRAFORM_FILE_INVALID',
        `the files of the program have more than ${programLimits.terraformProgramBytesMax} bytes`,
      )
    return { name, text: readFileSync(join(folder, name), 'utf8') }
  })
}

function formatNote({ file, line, problem, advice }: ConversionNote): string {
  return `${file}:${line}: ${problem}. ${advice}`
}
