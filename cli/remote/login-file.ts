import { join } from 'node:path'

/** Returns the path of the file that keeps the login to an API. */
export const loginFileOf = (home: string): string => join(home, 'login.json')
