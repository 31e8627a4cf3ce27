export function fold(_input: any): any { throw new Error('no fold') }
