import { listSubmodules } from '../package-members.ts'
import { type PythonPackage, toImportName } from './python-package.ts'
import { formatList, formatNotice, indentBlock } from './source-text.ts'

/** A file of a module. Its module exports the names that the file exports. */
export interface ModuleFile {
  readonly module: string
  /** The name of the file without its ending. */
  readonly name: string
  /** The lines below the imports that all files have. */
  readonly lines: readonly string[]
  /** The resource that the file defines. */
  readonly resource?: {
    readonly className: string
    readonly token: string
    readonly isProvider: boolean
  }
}

/** A module, all modules of its package, and their files. */
interface ModuleContents {
  readonly module: string
  readonly modules: readonly string[]
  readonly moduleFiles: readonly ModuleFile[]
}

/**
 * Files whose types have a prefix in annotations, such as `_inputs.BucketArgs`. So `__init__.py`
 * imports these files by name too.
 */
const typeFileNames: ReadonlySet<string> = new Set(['_enums', '_inputs', 'outputs'])

/** Returns the lines of `__init__.py` of a module. Submodules are imported when they are used. */
export function formatModule(
  pythonPackage: PythonPackage,
  { module, modules, moduleFiles }: ModuleContents,
): readonly string[] {
  const names = moduleFiles.filter(file => file.module === module).map(({ name }) => name)
  const submodules = listSubmodules(module, modules).map(path => path.split('/').at(-1) ?? path)
  return [
    formatNotice(),
    'import typing as _typing',
    `from ${pythonPackage.importName} import _utilities`,
    ...names
      .toSorted()
      .flatMap(name => [
        ...(typeFileNames.has(name) ? [`from . import ${name} as ${name}`] : []),
        ...(name === 'outputs' ? [] : [`from .${name} import *`]),
      ]),
    ...(submodules.length === 0
      ? []
      : [
          'if _typing.TYPE_CHECKING:',
          ...indentBlock(submodules.map(name => `from . import ${name} as ${name}`)),
          'else:',
          `    __getattr__ = _utilities.import_lazily(__name__, ${formatList(submodules)})`,
        ]),
    ...(module === '' ? formatTypeRegistration(pythonPackage, moduleFiles) : []),
  ]
}

/**
 * Returns the call that registers the classes of resources. References to resources then become
 * objects of these classes.
 */
function formatTypeRegistration(
  pythonPackage: PythonPackage,
  moduleFiles: readonly ModuleFile[],
): readonly string[] {
  const resources = moduleFiles.flatMap(({ module, resource }) =>
    resource === undefined
      ? []
      : [{ ...resource, path: `${toImportName(pythonPackage, module)}.${resource.className}` }],
  )
  const provider = resources.find(({ isProvider }) => isProvider)
  const classes = resources
    .filter(({ isProvider }) => !isProvider)
    .map(({ token, path }) => `${JSON.stringify(token)}: ${JSON.stringify(path)},`)
  return [
    '_utilities.register_types(',
    ...indentBlock([
      `package=${JSON.stringify(pythonPackage.schema.name)},`,
      `provider_class=${provider === undefined ? 'None' : JSON.stringify(provider.path)},`,
      ...(classes.length === 0 ? ['classes={},'] : ['classes={', ...indentBlock(classes), '},']),
    ]),
    ')',
  ]
}
