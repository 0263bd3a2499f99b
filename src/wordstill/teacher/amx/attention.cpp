// softmax(q k' * scale + mask) v in bfloat16, on the matrix tiles (AMX) of a processor.
//
// torch's own kernel multiplies head by head through oneDNN, whose calls cost more than the products themselves where
// texts are short, and which cannot use AMX on every machine that has it. Here a head's keys and values are laid out
// for the tiles once, and sixteen queries at a time meet all keys, so that scores never leave the cache.

#include <immintrin.h>
#include <omp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace {

using bf16 = uint16_t;

constexpr int ROWS = 16;            // of a tile; also the floats of a vector and of a tile's row
constexpr int PAIRS = 2 * ROWS;     // bfloat16 values in a tile's row
constexpr int TILE = ROWS * PAIRS;  // bfloat16 values in a tile
constexpr float LOWEST = -1e30f;    // of a score: what is masked, but no infinity, so that no row is without a sum
constexpr float LOG2_E = 1.44269504f;

struct alignas(64) Config {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {ROWS, ROWS, ROWS, ROWS, ROWS, ROWS, ROWS, ROWS};
};

struct Strides {
  int64_t text, head, place;
};

int64_t padded(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

__mmask16 first_of_16(int64_t n) { return n >= 16 ? 0xffff : n <= 0 ? 0 : (1u << n) - 1; }

__mmask32 first_of_32(int64_t n) { return n >= 32 ? 0xffffffff : n <= 0 ? 0 : (1u << n) - 1; }

// 32 values of a row from `d` on; zeros behind its end.
__m512i load(const bf16* row, int64_t d, int64_t width) {
  return _mm512_maskz_loadu_epi16(first_of_32(width - d), row + d);
}

// 2^x for x <= 0: the fraction by a polynomial, far finer than bfloat16; the rest by the exponent.
__m512 power_of_two(__m512 x) {
  const __m512 whole = _mm512_roundscale_ps(x, 0);
  const __m512 part = _mm512_sub_ps(x, whole);
  __m512 p = _mm512_set1_ps(0.00967f);
  p = _mm512_fmadd_ps(p, part, _mm512_set1_ps(0.0555042f));
  p = _mm512_fmadd_ps(p, part, _mm512_set1_ps(0.2402230f));
  p = _mm512_fmadd_ps(p, part, _mm512_set1_ps(0.6931472f));
  p = _mm512_fmadd_ps(p, part, _mm512_set1_ps(1.0f));
  return _mm512_scalef_ps(p, whole);
}

// Sixteen keys, a row each, to a tile whose column n has key n: pairs of values are what is transposed.
void transpose(__m512i row[ROWS], bf16* tile) {
  __m512i a[ROWS], b[ROWS];
  for (int i = 0; i < 16; i += 2) {
    a[i] = _mm512_unpacklo_epi32(row[i], row[i + 1]);
    a[i + 1] = _mm512_unpackhi_epi32(row[i], row[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    b[i] = _mm512_unpacklo_epi64(a[i], a[i + 2]);
    b[i + 1] = _mm512_unpackhi_epi64(a[i], a[i + 2]);
    b[i + 2] = _mm512_unpacklo_epi64(a[i + 1], a[i + 3]);
    b[i + 3] = _mm512_unpackhi_epi64(a[i + 1], a[i + 3]);
  }
  for (int i = 0; i < 4; i++) {
    a[i] = _mm512_shuffle_i32x4(b[i], b[i + 4], 0x88);
    a[i + 4] = _mm512_shuffle_i32x4(b[i], b[i + 4], 0xdd);
    a[i + 8] = _mm512_shuffle_i32x4(b[i + 8], b[i + 12], 0x88);
    a[i + 12] = _mm512_shuffle_i32x4(b[i + 8], b[i + 12], 0xdd);
  }
  for (int i = 0; i < 4; i++) {
    _mm512_store_si512(tile + PAIRS * i, _mm512_shuffle_i32x4(a[i], a[i + 8], 0x88));
    _mm512_store_si512(tile + PAIRS * (i + 8), _mm512_shuffle_i32x4(a[i], a[i + 8], 0xdd));
    _mm512_store_si512(tile + PAIRS * (i + 4), _mm512_shuffle_i32x4(a[i + 4], a[i + 12], 0x88));
    _mm512_store_si512(tile + PAIRS * (i + 12), _mm512_shuffle_i32x4(a[i + 4], a[i + 12], 0xdd));
  }
}

void pack_keys(const bf16* keys, int64_t stride, int64_t number, int64_t width, bf16* tiles) {
  for (int64_t block = 0; block < number; block += ROWS)
    for (int64_t d = 0; d < width; d += PAIRS, tiles += TILE) {
      __m512i row[ROWS];
      for (int i = 0; i < ROWS; i++)
        row[i] = block + i < number ? load(keys + (block + i) * stride, d, width) : _mm512_setzero_si512();
      transpose(row, tiles);
    }
}

// A tile has 32 values of 16 dimensions each, two rows of values interleaved in one row of the tile.
void pack_values(const bf16* values, int64_t stride, int64_t number, int64_t width, bf16* tiles) {
  alignas(64) uint16_t low[32], high[32];
  for (int i = 0; i < ROWS; i++) {
    low[2 * i] = i, low[2 * i + 1] = 32 + i;
    high[2 * i] = 16 + i, high[2 * i + 1] = 48 + i;
  }
  const __m512i at_low = _mm512_load_si512(low), at_high = _mm512_load_si512(high);
  for (int64_t block = 0; block < number; block += PAIRS)
    for (int64_t d = 0; d < width; d += PAIRS, tiles += 2 * TILE)
      for (int i = 0; i < ROWS; i++) {
        const int64_t place = block + 2 * i;
        const __m512i zero = _mm512_setzero_si512();
        const __m512i even = place < number ? load(values + place * stride, d, width) : zero;
        const __m512i odd = place + 1 < number ? load(values + (place + 1) * stride, d, width) : zero;
        _mm512_store_si512(tiles + PAIRS * i, _mm512_permutex2var_epi16(even, at_low, odd));
        _mm512_store_si512(tiles + TILE + PAIRS * i, _mm512_permutex2var_epi16(even, at_high, odd));
      }
}

// Sixteen queries against all keys; four blocks of keys at once keep the tiles busy. `width` is padded.
void score(const bf16* queries, const bf16* keys, int64_t blocks, int64_t width, float* scores, int64_t row) {
  const int64_t steps = width / PAIRS, bytes = row * sizeof(float), block = steps * TILE;
  int64_t j = 0;
  for (; j + 4 <= blocks; j += 4) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t s = 0; s < steps; s++) {
      const bf16* key = keys + j * block + s * TILE;
      _tile_loadd(4, queries + s * PAIRS, width * sizeof(bf16));
      _tile_loadd(5, key, 64);
      _tile_dpbf16ps(0, 4, 5);
      _tile_loadd(6, key + block, 64);
      _tile_dpbf16ps(1, 4, 6);
      _tile_loadd(5, key + 2 * block, 64);
      _tile_dpbf16ps(2, 4, 5);
      _tile_loadd(6, key + 3 * block, 64);
      _tile_dpbf16ps(3, 4, 6);
    }
    _tile_stored(0, scores + j * ROWS, bytes);
    _tile_stored(1, scores + (j + 1) * ROWS, bytes);
    _tile_stored(2, scores + (j + 2) * ROWS, bytes);
    _tile_stored(3, scores + (j + 3) * ROWS, bytes);
  }
  for (; j < blocks; j++) {
    _tile_zero(0);
    for (int64_t s = 0; s < steps; s++) {
      _tile_loadd(4, queries + s * PAIRS, width * sizeof(bf16));
      _tile_loadd(5, keys + j * block + s * TILE, 64);
      _tile_dpbf16ps(0, 4, 5);
    }
    _tile_stored(0, scores + j * ROWS, bytes);
  }
}

// Weights times values, 32 dimensions at a time; `width` is padded.
void mix(const bf16* weights, int64_t row, const bf16* values, int64_t width, float* mixed) {
  for (int64_t d = 0; d < width; d += PAIRS) {
    _tile_zero(0);
    _tile_zero(1);
    for (int64_t place = 0; place < row; place += PAIRS) {
      const bf16* tile = values + place * width + d * PAIRS;
      _tile_loadd(4, weights + place, row * sizeof(bf16));
      _tile_loadd(5, tile, 64);
      _tile_dpbf16ps(0, 4, 5);
      _tile_loadd(6, tile + TILE, 64);
      _tile_dpbf16ps(1, 4, 6);
    }
    _tile_stored(0, mixed + d, width * sizeof(float));
    _tile_stored(1, mixed + d + ROWS, width * sizeof(float));
  }
}

enum Mask { NONE, BOOLEAN, ADDED };

// exp(scores * scale + mask) of a row as bfloat16, and one over their sum; scores are written over.
template <Mask kind>
float weigh(float* scores, const void* mask, int64_t number, int64_t row, float scale, bf16* weights) {
  const __m512 factor = _mm512_set1_ps(scale * LOG2_E), lowest = _mm512_set1_ps(LOWEST);
  __m512 largest = lowest;
  for (int64_t j = 0; j < number; j += ROWS) {
    __mmask16 kept = first_of_16(number - j);
    __m512 score = _mm512_mul_ps(_mm512_load_ps(scores + j), factor);
    if constexpr (kind == BOOLEAN) {
      const __m128i bytes = _mm_maskz_loadu_epi8(kept, static_cast<const uint8_t*>(mask) + j);
      kept = _mm_test_epi8_mask(bytes, bytes);
    } else if constexpr (kind == ADDED) {
      const __m256i added = _mm256_maskz_loadu_epi16(kept, static_cast<const bf16*>(mask) + j);
      const __m512 wide = _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(added), 16));
      score = _mm512_max_ps(_mm512_fmadd_ps(wide, _mm512_set1_ps(LOG2_E), score), lowest);
    }
    score = _mm512_mask_blend_ps(kept, lowest, score);
    _mm512_store_ps(scores + j, score);
    largest = _mm512_max_ps(largest, score);
  }
  const __m512 top = _mm512_set1_ps(_mm512_reduce_max_ps(largest));
  const __m512 smallest = _mm512_set1_ps(-120);
  __m512 sum = _mm512_setzero_ps();
  for (int64_t j = 0; j < row; j += ROWS) {
    const __mmask16 kept = first_of_16(number - j);
    // No smaller than this: numbers too small for a normal exponent take hundreds of cycles each.
    const __m512 below = _mm512_max_ps(_mm512_sub_ps(_mm512_maskz_load_ps(kept, scores + j), top), smallest);
    const __m512 weight = _mm512_maskz_mov_ps(kept, power_of_two(below));
    sum = _mm512_add_ps(sum, weight);
    _mm256_store_si256(reinterpret_cast<__m256i*>(weights + j), (__m256i)_mm512_cvtneps_pbh(weight));
  }
  return 1.0f / _mm512_reduce_add_ps(sum);
}

}  // namespace

extern "C" {

// Ask Linux for the tiles; 0 if this process may use them.
int wordstill_tiles() { return static_cast<int>(syscall(SYS_arch_prctl, 0x1023, 18)); }

// Bytes of memory that one thread works in, a multiple of 64.
int64_t wordstill_room(int64_t keys, int64_t width) {
  const int64_t row = padded(keys, PAIRS), wide = padded(width, PAIRS);
  return sizeof(bf16) * (2 * row * wide + ROWS * wide + ROWS * row) + sizeof(float) * (ROWS * row + ROWS * wide);
}

// `size`: texts, heads, queries, keys, width, query heads for one head of keys. Strides count values; the last is 1.
// `mask_kind`: 0 none, 1 a byte for each score, 2 bfloat16 to be added. `out` is texts x queries x heads x width.
void wordstill_attend(const bf16* query, const bf16* key, const bf16* value, const void* mask, bf16* out,
                      const int64_t* size, const Strides* of_query, const Strides* of_key, const Strides* of_value,
                      const Strides* of_mask, int64_t mask_kind, float scale, char* room, int64_t threads) {
  const int64_t texts = size[0], heads = size[1], queries = size[2], keys = size[3], width = size[4], group = size[5];
  const int64_t row = padded(keys, PAIRS), wide = padded(width, PAIRS), each = wordstill_room(keys, width);
#pragma omp parallel num_threads(threads)
  {
    const Config config;
    _tile_loadconfig(&config);
    bf16* packed_keys = reinterpret_cast<bf16*>(room + omp_get_thread_num() * each);
    bf16* packed_values = packed_keys + row * wide;
    bf16* block = packed_values + row * wide;
    bf16* weights = block + ROWS * wide;
    float* scores = reinterpret_cast<float*>(weights + ROWS * row);
    float* mixed = scores + ROWS * row;
    memset(block, 0, sizeof(bf16) * (ROWS * wide + ROWS * row));
#pragma omp for schedule(static)
    for (int64_t task = 0; task < texts * heads; task++) {
      const int64_t text = task / heads, head = task % heads;
      const int64_t shared = head / group;
      pack_keys(key + text * of_key->text + shared * of_key->head, of_key->place, keys, width, packed_keys);
      pack_values(value + text * of_value->text + shared * of_value->head, of_value->place, keys, width, packed_values);
      for (int64_t from = 0; from < queries; from += ROWS) {
        const int64_t rows = queries - from < ROWS ? queries - from : ROWS;
        const bf16* asked = query + text * of_query->text + head * of_query->head + from * of_query->place;
        for (int64_t i = 0; i < rows; i++) memcpy(block + i * wide, asked + i * of_query->place, width * sizeof(bf16));
        score(block, packed_keys, padded(keys, ROWS) / ROWS, wide, scores, row);
        float share[ROWS];
        for (int64_t i = 0; i < rows; i++) {
          const int64_t at = text * of_mask->text + head * of_mask->head + (from + i) * of_mask->place;
          float* own = scores + i * row;
          bf16* to = weights + i * row;
          if (mask_kind == BOOLEAN)
            share[i] = weigh<BOOLEAN>(own, static_cast<const uint8_t*>(mask) + at, keys, row, scale, to);
          else if (mask_kind == ADDED)
            share[i] = weigh<ADDED>(own, static_cast<const bf16*>(mask) + at, keys, row, scale, to);
          else
            share[i] = weigh<NONE>(own, nullptr, keys, row, scale, to);
        }
        mix(weights, row, packed_values, wide, mixed);
        for (int64_t i = 0; i < rows; i++) {
          bf16* to = out + ((text * queries + from + i) * heads + head) * width;
          const __m512 factor = _mm512_set1_ps(share[i]);
          for (int64_t d = 0; d < width; d += ROWS) {
            const __m512 sum = _mm512_mul_ps(_mm512_load_ps(mixed + i * wide + d), factor);
            _mm256_mask_storeu_epi16(to + d, first_of_16(width - d), (__m256i)_mm512_cvtneps_pbh(sum));
          }
        }
      }
    }
    _tile_release();
  }
}
}
