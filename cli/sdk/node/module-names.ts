/** Puts `_` in place of each character that identifiers cannot have, and before a first digit. */
export function toIdentifier(name: string): string {
  return name.replace(/[^\w$]/g, '_').replace(/^(?=\d)/, '_')
}

/** Returns a path of modules as a path of namespaces: `storage.v1` for `storage/v1`. */
export function toNamespace(module: string): string {
  return module.split('/').map(toIdentifier).join('.')
}

/** Returns the relative path from the folder of a module to the folder of the SDK. */
export function rootPathOf(module: string): string {
  return module === '' ? '.' : module.split('/').fill('..').join('/')
}

/** Words that cannot be the name of a declaration, and names that generated files import. */
const reservedNames: ReadonlySet<string> = new Set(
  [
    'arguments await break case catch class const continue debugger default delete do else enum',
    'eval export extends false finally for function if implements import in inputs instanceof',
    'interface let new null outputs package private protected public pulumi return self static',
    'super switch this throw true try typeof undefined var void while with yield',
  ].flatMap(line => line.split(' ')),
)

/** Returns the name of a declaration, and the name of its export if that is another one. */
export function declareName(name: string): readonly [string, string?] {
  const identifier = toIdentifier(name)
  return reservedNames.has(identifier) ? [`${identifier}_`, identifier] : [identifier]
}
