import * as z from 'zod'
import type { PackageSchema } from '../../../shared/providers/package-schema/package-schema.ts'
import {
  createMemberReader,
  findUsedTypes,
  hasBridgedNames,
  type Member,
} from '../package-members.ts'
import { toClassName, toPythonModule } from './python-names.ts'

const pythonSettingsForm = z.object({
  packageName: z.string().optional(),
  moduleNameOverrides: z.record(z.string(), z.string()).optional(),
  compatibility: z.string().optional(),
  pythonRequires: z.string().optional(),
  requires: z.record(z.string(), z.string()).optional(),
})

/** A package, and its names in Python. */
export interface PythonPackage {
  readonly schema: PackageSchema
  /** The name of the package in programs and in PyPI, such as `pulumi_random`. */
  readonly importName: string
  /** The version requirement of Python. */
  readonly requiresPython: string
  /** Version requirements of other packages by their names. */
  readonly requires: Readonly<Record<string, string>>
  /** Whether nested types are named as in the SDKs of bridged Terraform providers. */
  readonly isBridged: boolean
  /** Returns the module of a token in Python, and the name of its class. */
  readonly readMember: (token: string) => Member
  /** The tokens of the types that functions use. */
  readonly functionTypes: ReadonlySet<string>
}

/** Reads the names and settings of a package for Python. */
export function readPythonPackage(schema: PackageSchema): PythonPackage {
  const parsed = pythonSettingsForm.safeParse(schema.language?.['python'])
  const settings = parsed.success ? parsed.data : {}
  const { packageName, moduleNameOverrides = {}, compatibility = '' } = settings
  const { namespace = 'pulumi' } = schema
  const readMember = createMemberReader(schema)
  const functions = Object.values(schema.functions ?? {})
  return {
    schema,
    importName: packageName || `${namespace}_${schema.name}`.replaceAll('-', '_'),
    requiresPython: settings.pythonRequires || '>=3.9',
    requires: settings.requires ?? {},
    isBridged: hasBridgedNames(compatibility),
    readMember: token => {
      const { module, name } = readMember(token)
      return {
        token,
        module: moduleNameOverrides[module] ?? toPythonModule(module),
        name: toClassName(name),
      }
    },
    functionTypes: findUsedTypes(
      schema,
      functions.flatMap(({ inputs, outputs }) => [
        ...Object.values(inputs?.properties ?? {}),
        ...Object.values(outputs?.properties ?? {}),
        ...(outputs === undefined ? [] : [outputs]),
      ]),
    ),
  }
}

/** Returns the name of a module in Python: `pulumi_shop.storage.v1` for `storage/v1`. */
export function toImportName({ importName }: PythonPackage, module: string): string {
  return module === '' ? importName : `${importName}.${module.replaceAll('/', '.')}`
}
