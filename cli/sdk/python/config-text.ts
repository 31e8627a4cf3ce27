import type {
  PackageSchema,
  PropertySpec,
} from '../../../shared/providers/package-schema/package-schema.ts'
import { findPrimitiveType } from './annotations.ts'
import { formatDefault } from './class-text.ts'
import { toPythonName } from './python-names.ts'
import type { PythonPackage } from './python-package.ts'
import { formatDocstring, formatHeader, indentBlock } from './source-text.ts'

const readers: ReadonlyMap<string, string> = new Map([
  ['boolean', 'get_bool'],
  ['integer', 'get_int'],
  ['number', 'get_float'],
])

/**
 * Returns the files of the module with the configuration variables: name → lines. The module has a
 * class with properties, so that variables are read when they are used. The stub `__init__.pyi` has
 * the types of the variables.
 */
export function formatConfigFiles(
  pythonPackage: PythonPackage,
): ReadonlyMap<string, readonly string[]> {
  const { schema } = pythonPackage
  const variables = Object.entries(schema.config?.variables ?? {}).toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  )
  return new Map([
    [
      '__init__.py',
      [
        ...formatHeader(pythonPackage),
        'import sys as _sys',
        'import types as _types',
        ...['', '', 'class _Variables(_types.ModuleType):'],
        ...indentBlock(variables.flatMap(([name, spec]) => formatVariable(schema, name, spec))),
        ...['', '', '_sys.modules[__name__].__class__ = _Variables'],
      ],
    ],
    [
      '__init__.pyi',
      [
        'import builtins as _builtins',
        'import typing as _typing',
        ...variables.flatMap(([name, spec]) => [
          ...['', `${toPythonName(name)}: ${formatVariableType(spec)}`],
          ...formatDocstring(spec),
        ]),
      ],
    ],
  ])
}

function formatVariable(
  { name: packageName }: PackageSchema,
  name: string,
  spec: PropertySpec,
): readonly string[] {
  const readerName = readers.get(spec.type ?? '') ?? 'get'
  const value = `pulumi.Config(${JSON.stringify(packageName)}).${readerName}(${JSON.stringify(name)})`
  const defaults = formatDefault(spec)
  const values = spec.default === undefined ? ['default=None', ...defaults] : defaults
  return [
    ...[
      '',
      '@_builtins.property',
      `def ${toPythonName(name)}(self) -> ${formatVariableType(spec)}:`,
    ],
    ...indentBlock([
      ...formatDocstring(spec),
      defaults.length === 0
        ? `return ${value}`
        : `return _utilities.read_default(${[value, ...values].join(', ')})`,
    ]),
  ]
}

/** Returns the type of a variable. A structured variable has a text with JSON, as in Pulumi. */
function formatVariableType(spec: PropertySpec): string {
  const type = findPrimitiveType(spec.type) ?? '_builtins.str'
  return spec.default === undefined ? `_typing.Optional[${type}]` : type
}
