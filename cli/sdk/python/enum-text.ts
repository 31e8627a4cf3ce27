import type { ComplexTypeSpec } from '../../../shared/providers/package-schema/package-schema.ts'
import { findPrimitiveType } from './annotations.ts'
import { formatLiteral, toEnumMember } from './python-names.ts'
import { formatDocstring, indentBlock } from './source-text.ts'

/** Returns the class of an enumeration. Its values are also texts or numbers. */
export function formatEnum(name: string, token: string, spec: ComplexTypeSpec): readonly string[] {
  const values = spec.enum ?? []
  const names = distinguishNames(
    values.map(({ name: valueName, value }) => toEnumMember(valueName || String(value), name)),
  )
  const members = values.flatMap(({ value, ...documented }, index) => [
    `${names[index]} = ${formatLiteral(value)}`,
    ...formatDocstring(documented),
  ])
  return [
    ...['', '', `@pulumi.type_token(${JSON.stringify(token)})`],
    `class ${name}(${findPrimitiveType(spec.type) ?? '_builtins.str'}, _enum.Enum):`,
    ...indentBlock([...formatDocstring(spec), ...(members.length === 0 ? ['pass'] : members)]),
  ]
}

/** Numbers repeated names from 2 on, because Python refuses two members with the same name. */
function distinguishNames(names: readonly string[]): readonly string[] {
  const usedNames = new Set(names)
  return names.map((name, index) => {
    if (names.indexOf(name) === index) return name
    let number = 2
    while (usedNames.has(`${name}_${number}`)) number += 1
    usedNames.add(`${name}_${number}`)
    return `${name}_${number}`
  })
}
