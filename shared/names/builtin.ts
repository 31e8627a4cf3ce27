/** The package that is built into the engine. No plugin serves it. */
export const builtinPackage = 'pulumi'

/** The type of a resource that keeps its first input. */
export const stashType = 'pulumi:index:Stash'

/** The type of a resource that holds the outputs of another stack. */
export const stackReferenceType = 'pulumi:pulumi:StackReference'

/** Reports whether a type is built into the engine. Its resources exist in the state only. */
export function isBuiltinType(type: string): boolean {
  return type === stashType || type === stackReferenceType
}
