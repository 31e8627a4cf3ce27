import type { PackageSchema } from '../../../shared/providers/package-schema/package-schema.ts'
import { describePlugin } from '../describe-plugin.ts'
import { toPythonVersion } from './python-names.ts'
import type { PythonPackage } from './python-package.ts'

/** The versions of Pulumi's SDK that can register packages with parameters. */
const sdkVersions = '>=3.247.0,<4.0.0'

/** Files that package managers write into the folder of an SDK. */
const ignoredFiles = ['*.pyc', '__pycache__/', 'build/', 'dist/', '*.egg-info/']

/** Returns the files that describe the package to package managers and language hosts. */
export function formatPackageFiles(pythonPackage: PythonPackage): ReadonlyMap<string, string> {
  const { importName, schema } = pythonPackage
  return new Map([
    ['.gitignore', `${ignoredFiles.join('\n')}\n`],
    ['pyproject.toml', `${formatProjectFile(pythonPackage).join('\n')}\n`],
    [`${importName}/py.typed`, ''],
    [`${importName}/pulumi-plugin.json`, `${JSON.stringify(describePlugin(schema), null, 2)}\n`],
  ])
}

function formatProjectFile(pythonPackage: PythonPackage): readonly string[] {
  const { importName, requiresPython, requires, schema } = pythonPackage
  const { description, keywords, license, version = '0.0.0' } = schema
  const dependencies = { pulumi: sdkVersions, semver: '>=2.8.1', ...requires }
  const [firstLine = ''] = (description ?? '').trim().split('\n')
  return [
    '[project]',
    `name = ${JSON.stringify(importName)}`,
    `version = ${JSON.stringify(toPythonVersion(version))}`,
    ...(firstLine === '' ? [] : [`description = ${JSON.stringify(firstLine)}`]),
    ...(license === undefined ? [] : [`license = { text = ${JSON.stringify(license)} }`]),
    ...(keywords === undefined ? [] : [`keywords = ${JSON.stringify(keywords)}`]),
    `requires-python = ${JSON.stringify(requiresPython)}`,
    'dependencies = [',
    ...Object.entries(dependencies).map(([name, range]) => `  ${JSON.stringify(name + range)},`),
    ']',
    ...formatAddresses(schema),
    '',
    '[build-system]',
    'requires = ["setuptools>=61.0"]',
    'build-backend = "setuptools.build_meta"',
    '',
    '[tool.setuptools.packages.find]',
    `include = [${JSON.stringify(importName)}, ${JSON.stringify(`${importName}.*`)}]`,
    '',
    '[tool.setuptools.package-data]',
    `${JSON.stringify(importName)} = ["py.typed", "pulumi-plugin.json", "**/*.pyi"]`,
  ]
}

function formatAddresses({ homepage, repository }: PackageSchema): readonly string[] {
  const addresses = [
    ...(homepage === undefined ? [] : [`Homepage = ${JSON.stringify(homepage)}`]),
    ...(repository === undefined ? [] : [`Repository = ${JSON.stringify(repository)}`]),
  ]
  return addresses.length === 0 ? [] : ['', '[project.urls]', ...addresses]
}
