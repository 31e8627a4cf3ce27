import type { ComplexTypeSpec } from '../../../shared/providers/package-schema/package-schema.ts'
import { findPrimitiveType } from './annotations.ts'
import { formatLiteral, toEnumMember } from './python-names.ts'
import { formatDocstring, indentBlock } from './source-text.ts'

/** Returns the class of an enumeration. Its values are also texts or numbers. */
export function formatEnum(name: string, token: string, spec: ComplexTypeSpec): readonly string[] {
  const names = new Set<string>()
  const members = (spec.enum ?? []).flatMap(({ name: valueName, value, ...documented }) => {
    const member = toEnumMember(valueName || String(value), name)
    // Python refuses a second member with the same name.
    if (names.has(member)) return []
    names.add(member)
    return [`${member} = ${formatLiteral(value)}`, ...formatDocstring(documented)]
  })
  return [
    ...['', '', `@pulumi.type_token(${JSON.stringify(token)})`],
    `class ${name}(${findPrimitiveType(spec.type) ?? '_builtins.str'}, _enum.Enum):`,
    ...indentBlock([...formatDocstring(spec), ...(members.length === 0 ? ['pass'] : members)]),
  ]
}
