/**
 * sdk/python: the SDK of a package for programs in Python, as a package that pip installs from its
 * folder. Imports package schemas and errors. The module is pure, except that it reads
 * `sdk-utilities.py`, which each SDK contains.
 *
 * Invariants: equal schemas give equal files. Modules, classes, functions and parameters have the
 * same names as in the SDKs that Pulumi generates, so that programs run with both. `omissions`
 * names the parts of the package that the SDK leaves out.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PackageSchema } from '../../../shared/providers/package-schema/package-schema.ts'
import { createTextFiles } from '../../project/output-file.ts'
import type { GeneratedSdk } from '../generated-sdk.ts'
import { findOmissions, listModules } from '../package-members.ts'
import { createAnnotator } from './annotations.ts'
import { formatConfigFiles } from './config-text.ts'
import { listMemberFiles } from './member-files.ts'
import { formatModule, type ModuleFile } from './module-text.ts'
import { formatPackageFiles } from './package-files.ts'
import { type PythonPackage, readPythonPackage } from './python-package.ts'
import { formatHeader } from './source-text.ts'
import { listEnumFiles, listTypeFiles } from './type-files.ts'

/**
 * Generates the SDK of a package. Throws FEATURE_MISSING for a schema with types of other packages,
 * and PLUGIN_FAILED for an invalid schema.
 */
export function generatePythonSdk(schema: PackageSchema): GeneratedSdk {
  const pythonPackage = readPythonPackage(schema)
  const annotator = createAnnotator(pythonPackage)
  const memberFiles = listMemberFiles(pythonPackage, annotator)
  const moduleFiles = [
    ...memberFiles,
    // The annotator now knows the types that the member files use.
    ...listTypeFiles(annotator),
    ...listEnumFiles(pythonPackage),
  ]
  const utilities = readFileSync(join(import.meta.dirname, 'sdk-utilities.py'), 'utf8')
  const files = new Map([
    ...formatPackageFiles(pythonPackage),
    [toPath(pythonPackage, '', '_utilities.py'), utilities],
  ])
  for (const { module, name, lines } of moduleFiles)
    files.set(
      toPath(pythonPackage, module, `${name}.py`),
      toText([...formatHeader(pythonPackage), ...lines]),
    )
  for (const [path, lines] of listIndexFiles(pythonPackage, moduleFiles))
    files.set(path, toText(lines))
  return { files: createTextFiles(files), omissions: findOmissions(schema) }
}

/** Returns an `__init__.py` for each module, and the files of the module `config`. */
function listIndexFiles(
  pythonPackage: PythonPackage,
  moduleFiles: readonly ModuleFile[],
): readonly (readonly [path: string, lines: readonly string[]])[] {
  const hasConfig = Object.keys(pythonPackage.schema.config?.variables ?? {}).length > 0
  const configFiles = hasConfig ? [...formatConfigFiles(pythonPackage)] : []
  const modules = listModules([...moduleFiles, ...(hasConfig ? [{ module: 'config' }] : [])])
  return [
    ...modules.map(module => {
      const lines = formatModule(pythonPackage, { module, modules, moduleFiles })
      return [toPath(pythonPackage, module, '__init__.py'), lines] as const
    }),
    ...configFiles.map(([name, lines]) => [toPath(pythonPackage, 'config', name), lines] as const),
  ]
}

function toPath({ importName }: PythonPackage, module: string, file: string): string {
  return [importName, module, file].filter(part => part !== '').join('/')
}

function toText(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
