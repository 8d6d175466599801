import mark from './mark.svg'

/** Our mark, beside the name. */
export const Mark = () => <img src={mark} alt="" width={24} height={24} />
