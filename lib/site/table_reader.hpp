// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "site/mistakes.hpp"
#include "site/names.hpp"

namespace railgauge::site {

enum class Need { required, optional };

template <class T>
struct Located {
    T value;
    Place place;
};

/// One table of a site file, read key by key. The keys asked for are the keys it may have: finish()
/// reports every other one, so that no misspelt key is ever ignored.
///
/// Every method reports what is wrong and answers "nothing" (an empty text or list, nullopt).
class TableReader {
  public:
    /// @param kind what the table is, for messages: "a rail"
    TableReader(const toml::table& table, Place place, std::string_view kind, Mistakes& mistakes);

    std::string text(std::string_view key, Need need, const Rule& rule);
    std::optional<int> integer(std::string_view key, Need need, int least, int most);
    std::optional<double> number(std::string_view key, Need need, double above, double most,
                                 std::string_view unit);

    /// Lists are not empty where they are given.
    std::vector<Located<std::string>> texts(std::string_view key, Need need);
    std::vector<Located<int>> integers(std::string_view key, Need need);
    std::vector<TableReader> tables(std::string_view key, Need need, std::string_view kind,
                                    std::size_t most);

    bool has(std::string_view key) const { return table_->contains(key); }

    /// Of the key's value; of the table where it has no such key.
    Place place(std::string_view key) const;
    const Place& place() const { return place_; }

    /// Reports keys that nobody asked for.
    void finish();

    Mistakes& mistakes() { return *mistakes_; }

  private:
    struct Expected;

    const toml::node* find(std::string_view key, Need need);
    const toml::array* list(std::string_view key, Need need, const Expected& expected);
    template <class T, class Convert>
    std::vector<Located<T>> elements(std::string_view key, Need need, const Expected& expected,
                                     Convert convert);
    void report_type(const Place& place, const toml::node& node, const Expected& expected);

    static const Expected a_text;
    static const Expected a_whole_number;
    static const Expected a_number;
    static const Expected a_table;
    static const Expected a_list;
    static const Expected a_list_of_tables;

    const toml::table* table_;
    Place place_;
    std::string kind_;
    Mistakes* mistakes_;
    std::vector<std::string> known_;
};

}  // namespace railgauge::site
