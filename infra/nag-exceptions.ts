import { Validations, type Stack } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'
import type { Installation } from './installation.ts'

/** A rule that does not hold here, for what is below a path, and why. */
export interface NagException {
  readonly stack: 'data' | 'main'
  /** Below the stack; '' stands for all of it. */
  readonly path: string
  readonly rule: string
  readonly why: string
}

/** Every rule of cdk-nag that is not followed. Each is as narrow as the rule allows. */
export const nagExceptions: readonly NagException[] = []

/** Tells the checks of the exceptions. Throws for a path that is not there, so that none is left over. */
export function acknowledge(installation: Installation): void {
  for (const { stack, path, rule, why } of nagExceptions)
    Validations.of(constructAt(installation[stack], path)).acknowledge({ id: rule, reason: why })
}

function constructAt(stack: Stack, path: string): IConstruct {
  const steps = path.split('/').filter(step => step !== '')
  return steps.reduce<IConstruct>((at, step) => at.node.findChild(step), stack)
}
