// Computes axes: the positions of values on them, and the values that are marked.

/** An axis as it is drawn: from least to most, with marks. */
export interface Scale {
  logarithmic: boolean;
  least: number;
  most: number;
  marks: number[];
}

/** The position of a value on its axis, from 0 to 1. */
export function share(scale: Scale, value: number): number {
  const on = (one: number) => (scale.logarithmic ? Math.log(one) : one);
  return (on(value) - on(scale.least)) / (on(scale.most) - on(scale.least));
}

/**
 * The places whose numbers have room beside each other, chosen from the right, because the largest one matters
 * most.
 */
export function marksAt(places: number[], logarithmic: boolean): number[] {
  const on = (place: number) => (logarithmic ? Math.log(place) : place);
  const room = 0.1 * (on(places[places.length - 1]) - on(places[0])); // room for a number of five digits
  const marks: number[] = [];
  for (const place of places.slice().reverse()) {
    if (marks.length === 0 || on(marks[0]) - on(place) >= room) marks.unshift(place);
  }
  return marks;
}

/** A scale with room beyond the first and the last place. */
export function scaleOfPlaces(values: number[], logarithmic: boolean): Scale {
  const places = values.filter((value, i) => values.indexOf(value) === i).sort((a, b) => a - b);
  const [first, last] = [places[0], places[places.length - 1]];
  const margin = first === last ? Math.max(1, 0.1 * Math.abs(first)) : 0.05 * (last - first);
  return {
    logarithmic,
    least: logarithmic ? first / 1.15 : first - margin,
    most: logarithmic ? last * 1.15 : last + margin,
    marks: marksAt(places, logarithmic),
  };
}

/** The marks of a logarithmic axis, from below one value to above another. */
function marksAround(low: number, high: number): number[] {
  const decades = Math.log10(high / low);
  const factors = decades < 2 ? [1, 2, 5] : [1];
  const every = Math.ceil(decades / 8); // more marks would be too crowded
  const all: number[] = [];
  const first = Math.floor(Math.log10(low));
  for (let power = first; power <= Math.ceil(Math.log10(high)); power += Math.max(1, every)) {
    for (const factor of factors) all.push(Number(`${factor}e${power}`));
  }
  return all;
}

/** A logarithmic scale from `least` to `most` exactly. */
export function scaleBetween(least: number, most: number): Scale {
  const marks = marksAround(least, most).filter((mark) => mark >= least && mark <= most);
  return { logarithmic: true, least, most, marks };
}

/** A scale with marks at round numbers: at 1, 2, 2.5 or 5 times a power of ten. */
export function scaleOfHeights(values: number[], logarithmic: boolean): Scale {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (!logarithmic) {
    // The scale starts at 0, because heights that start elsewhere exaggerate.
    const top = high > 0 ? high : 1;
    const raw = top / 5;
    const power = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = power * [1, 2, 2.5, 5, 10].find((factor) => raw <= factor * power)!;
    const count = Math.ceil((top / step) * (1 - 1e-9));
    const marks = Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
    return { logarithmic, least: 0, most: marks[count], marks };
  }
  const all = marksAround(low, high);
  const below = all.filter((mark) => mark <= low);
  const above = all.filter((mark) => mark >= high);
  const least = below.length > 0 ? below[below.length - 1] : low;
  const most = above.length > 0 ? above[0] : high;
  const marks = all.filter((mark) => mark >= least && mark <= most);
  return { logarithmic, least, most: most > least ? most : least * 10, marks };
}
