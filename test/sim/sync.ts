/**
 * A port as the store implements it: with synchronous methods. A process passes the id of its
 * request as one more argument. A method that creates something recognizes a repeated request by
 * this id.
 */
export type SynchronousPort<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Promise<infer Answer>
    ? (...args: Args) => Answer
    : never
}
