import { type Annotator, hasEnumClass, type RequestedClass } from './annotations.ts'
import { formatClass, formatDictClass } from './class-text.ts'
import { formatEnum } from './enum-text.ts'
import type { ModuleFile } from './module-text.ts'
import type { PythonPackage } from './python-package.ts'
import { formatExports } from './source-text.ts'

/**
 * Returns the files with the object types that the annotator collected. The files also define the
 * types that these types use.
 */
export function listTypeFiles(annotator: Annotator): readonly ModuleFile[] {
  const files = new Map<string, { readonly names: string[]; readonly lines: string[] }>()
  for (
    let requested = annotator.takeRequested();
    requested.length > 0;
    requested = annotator.takeRequested()
  )
    for (const type of requested) {
      const key = `${type.use === 'output' ? 'outputs' : '_inputs'} ${type.module}`
      const file = files.get(key) ?? { names: [], lines: [] }
      file.names.push(type.name, ...(type.use === 'output' ? [] : [`${type.name}Dict`]))
      file.lines.push(...defineType(type, annotator))
      files.set(key, file)
    }
  return [...files].map(([key, { names, lines }]) => {
    const [name = '', module = ''] = key.split(' ')
    return { module, name, lines: [...importsOf(name), formatExports(names.toSorted()), ...lines] }
  })
}

/**
 * Returns the imports of a file of types. Dictionaries name `NotRequired`, which Python itself has
 * since version 3.11. Only type checkers need it.
 */
function importsOf(file: string): readonly string[] {
  return file === '_inputs'
    ? ['if _typing.TYPE_CHECKING:', '    import typing_extensions as _typing_extensions']
    : []
}

function defineType({ name, use, spec }: RequestedClass, annotator: Annotator): readonly string[] {
  const options = { use, required: spec.required ?? [], annotator }
  return [
    ...(use === 'output' ? [] : formatDictClass(name, spec, options)),
    ...formatClass(name, spec, options),
  ]
}

/** Returns the files with the enumerations of a package. */
export function listEnumFiles({ schema, readMember }: PythonPackage): readonly ModuleFile[] {
  const enums = Object.entries(schema.types ?? {})
    .filter(([, spec]) => hasEnumClass(spec))
    .map(([token, spec]) => ({ ...readMember(token), spec }))
  return [...Map.groupBy(enums, ({ module }) => module)].map(([module, members]) => ({
    module,
    name: '_enums',
    lines: [
      'import enum as _enum',
      formatExports(members.map(({ name }) => name).toSorted()),
      ...members.flatMap(({ name, token, spec }) => formatEnum(name, token, spec)),
    ],
  }))
}
