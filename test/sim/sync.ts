/**
 * A port as the store itself has it: at once. What makes something gets one argument more: which
 * call it is, so that a repetition of it is known.
 */
export type Sync<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Promise<infer Answer>
    ? (...args: Args) => Answer
    : never
}
