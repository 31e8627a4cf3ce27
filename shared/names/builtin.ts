/** The package that is part of the engine: no plugin serves it. */
export const builtinPackage = 'pulumi'

/** A resource that keeps its first input. */
export const stashType = 'pulumi:index:Stash'

/** A resource that holds the outputs of another stack. */
export const stackReferenceType = 'pulumi:pulumi:StackReference'

/** Whether resources of a type are the engine's own: nothing of them exists but in the state. */
export function isBuiltinType(type: string): boolean {
  return type === stashType || type === stackReferenceType
}
