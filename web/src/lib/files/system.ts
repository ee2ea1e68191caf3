/** True for files that systems put into folders for themselves. */
export const systemFile = (name: string): boolean => /^(\.|Thumbs\.db$|desktop\.ini$)/.test(name)
